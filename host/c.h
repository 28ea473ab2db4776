/* SPDX-License-Identifier: Apache-2.0 */
/* rhomb from C: exact edit distances, alignments, occurrences, common subsequences and primers.
 *
 *   #include <rhomb/c.h>                                        cc program.c -lrhomb
 *
 *   rhomb_device* device;
 *   rhomb_result* result;
 *   if (rhomb_open(NULL, NULL, &device) == RHOMB_OK &&
 *       rhomb_distance(device, NULL, "GATTACA", 7, "GATTTACCA", 9, &result) == RHOMB_OK)
 *     printf("%lld\n", (long long)rhomb_number(result, 0, "distance"));            2
 *   else
 *     fprintf(stderr, "%s\n", rhomb_error());
 *
 * Status. Functions that can fail return what the program rhomb would exit with; what they were to
 * make is then NULL. Nothing is printed, nothing exits, no signal is touched.
 *
 * Names. Options have the names of the command line, without dashes, and results its columns; what
 * they mean is told by rhomb distance --help and so on, rhomb-distance(1). Positions are 0-based,
 * ends are not included.
 *
 * Threads. Calls on one device wait for each other, so a progress function must not call the device
 * that it is told of. Everything else may be used by one thread at a time. The ABI is that of
 * librhomb.so.0: functions are only added to it.
 */
#ifndef RHOMB_C_H
#define RHOMB_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  RHOMB_OK = 0,
  RHOMB_INTERNAL = 1, /* a defect of rhomb, or of what it stands on */
  RHOMB_USAGE = 2,    /* an option, a value or an argument that there cannot be */
  RHOMB_INPUT = 3,    /* a file or a sequence is not what it should be, or writing failed */
  RHOMB_DEVICE = 4,   /* no device, or a call to one that failed */
  RHOMB_MEMORY = 5,   /* of the host or of a device */
  RHOMB_CHECK = 6,    /* a self-test or a requested check found a wrong answer */
  RHOMB_STOPPED = 7   /* the progress function ended the run */
};

typedef struct rhomb_device rhomb_device;
typedef struct rhomb_options rhomb_options;
typedef struct rhomb_sequences rhomb_sequences;
typedef struct rhomb_result rhomb_result;

/* As "0.2.0". */
const char* rhomb_version(void);

/* What was wrong with the last call of this thread that failed; good until its next call. */
const char* rhomb_error(void);

/* A device, or several. `selector` is what --device takes: an index, "cpu", "gpu", a part of a
 * name, "0,1", "all"; NULL: the fastest GPU, else the CPU. It is looked for when a call first needs
 * one: small problems need none. Of the options kernels and no-cache hold here. */
int rhomb_open(const char* selector, const rhomb_options* options, rhomb_device** device);
void rhomb_close(rhomb_device* device);

/* Options; where a function takes them, NULL stands for those that are usual. */
int rhomb_options_new(rhomb_options** options);
void rhomb_options_free(rhomb_options* options);
/* clang-format off */
/* Sets the option `name`, "max-distance" for --max-distance; numbers are written out. A switch,
 * such as "both-strands", has the value "" or NULL. There are
 *
 *   everywhere       variant config ambiguous check threads
 *   of sequences     shard
 *   distance, align  engine max-distance
 *   distance         checkpoint resume every (seconds)
 *   distances        all-pairs
 *   align            gaps both-strands max-memory
 *   search           k best all-ends both-strands cigar memory
 *   lcs              top min-length subsequence memory
 *   gaps             max-gaps matrix match mismatch open extend ends strict
 *                    band score-only top all-pairs memory
 *   primer           k length min-length max-length both-strands exclude-self witness memory
 *   reading files    alphabet input-format case-sensitive
 *   opening devices  kernels no-cache
 *
 * ambiguous is symbol, match or mismatch.
 *
 * RHOMB_USAGE for another name or value. A call refuses the options of other calls, but for those
 * of the last two lines, which it has no use for. */
/* clang-format on */
int rhomb_options_set(rhomb_options* options, const char* name, const char* value);
/* Has `call` called now and then by any thread, one at a time, with the part of the work that is
 * done, 0 to 1. Unless it returns 0 the run ends soon, with RHOMB_STOPPED. */
void rhomb_options_progress(rhomb_options* options, int (*call)(void* user, double part),
                            void* user);

/* Sequences with their names. */
int rhomb_sequences_new(rhomb_sequences** sequences);
void rhomb_sequences_free(rhomb_sequences* sequences);
/* Adds a copy. Symbols are any bytes, and compared as they are. */
int rhomb_sequences_add(rhomb_sequences* sequences, const char* name, const char* symbols,
                        size_t length);
/* Adds the records of a file: FASTA, FASTQ, lines or raw text, plain, gzip or bgzip. */
int rhomb_sequences_read(rhomb_sequences* sequences, const char* path,
                         const rhomb_options* options);

/* The distance of two texts: a row with the columns query_length, target_length, distance (none: it
 * exceeds max-distance), engine, variant, device. */
int rhomb_distance(rhomb_device* device, const rhomb_options* options, const char* query,
                   size_t query_length, const char* target, size_t target_length,
                   rhomb_result** result);
/* The alignment as well: also the columns strand and cigar. */
int rhomb_align(rhomb_device* device, const rhomb_options* options, const char* query,
                size_t query_length, const char* target, size_t target_length,
                rhomb_result** result);
/* Distances of many pairs, by order or, with all-pairs, of each with each: also the columns query
 * and target, the names. */
int rhomb_distances(rhomb_device* device, const rhomb_options* options,
                    const rhomb_sequences* queries, const rhomb_sequences* targets,
                    rhomb_result** result);
/* Where queries occur in targets: query, query_length, target, target_length, start, end, strand,
 * distance, cigar (with the option). */
int rhomb_search(rhomb_device* device, const rhomb_options* options, const rhomb_sequences* queries,
                 const rhomb_sequences* targets, rhomb_result** result);
/* Longest common subsequences: query, query_length, target, target_length, length, rank (with top),
 * subsequence (with the option). */
int rhomb_lcs(rhomb_device* device, const rhomb_options* options, const rhomb_sequences* queries,
              const rhomb_sequences* targets, rhomb_result** result);

/* The best alignments with few gaps, by order or, with all-pairs, of each query with each target:
 * query, query_length, target, target_length, score (a decimal number as text), end, gaps, and but
 * with score-only start, gap_symbols, mismatches, cigar. Only names and lengths where there is
 * none. */
int rhomb_gaps(rhomb_device* device, const rhomb_options* options, const rhomb_sequences* queries,
               const rhomb_sequences* targets, rhomb_result** result);
/* Substrings of queries that differ from all targets: query, start, end, sequence, with witness
 * witness_target, witness_start, witness_end, witness_strand, witness_distance, witness_cigar; with
 * length, of windows, distance. */
int rhomb_primer(rhomb_device* device, const rhomb_options* options, const rhomb_sequences* queries,
                 const rhomb_sequences* targets, rhomb_result** result);

/* Rows of a result, and what stands in one: -1 and NULL where the row, the column or a value is not
 * there, or is of the other kind. Text is good until the result is freed. */
size_t rhomb_rows(const rhomb_result* result);
int64_t rhomb_number(const rhomb_result* result, size_t row, const char* column);
const char* rhomb_text(const rhomb_result* result, size_t row, const char* column);
void rhomb_result_free(rhomb_result* result);

#ifdef __cplusplus
}
#endif

#endif /* RHOMB_C_H */
