/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface from C11: answers that are known, errors, a run that is stopped; see
 * program/test_c.py, which compiles this with the library that was built. */
#include <rhomb/c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;

static void expect(int line, int right, const char* what) {
  if (right) return;
  fprintf(stderr, "line %d: %s (%s)\n", line, what, rhomb_error());
  wrong = 1;
}
#define EXPECT(condition) expect(__LINE__, (condition), #condition)

static int is(const char* text, const char* wanted) {
  return text != NULL && strcmp(text, wanted) == 0;
}

static int stop_at_once(void* user, double part) {
  ++*(int*)user;
  return part >= 0;
}

static char* random_text(size_t length, uint32_t seed) {
  char* const text = malloc(length);
  for (size_t i = 0; i < length; ++i) {
    seed = seed * 1664525u + 1013904223u;
    text[i] = "ACGT"[seed >> 30];
  }
  return text;
}

static rhomb_options* options_of(const char* name, const char* value) {
  rhomb_options* options = NULL;
  EXPECT(rhomb_options_new(&options) == RHOMB_OK);
  EXPECT(rhomb_options_set(options, name, value) == RHOMB_OK);
  return options;
}

static void pairs(rhomb_device* device) {
  rhomb_result* result = NULL;
  EXPECT(rhomb_distance(device, NULL, "GATTACA", 7, "GATTTACCA", 9, &result) == RHOMB_OK);
  EXPECT(rhomb_rows(result) == 1);
  EXPECT(rhomb_number(result, 0, "distance") == 2);
  EXPECT(rhomb_number(result, 0, "target_length") == 9);
  EXPECT(rhomb_text(result, 0, "variant") != NULL);
  EXPECT(rhomb_number(result, 0, "variant") == -1);   /* is text */
  EXPECT(rhomb_number(result, 1, "distance") == -1);  /* there is one row */
  EXPECT(rhomb_text(result, 0, "cigar") == NULL);     /* not a column of distance */
  rhomb_result_free(result);

  EXPECT(rhomb_distance(device, NULL, NULL, 0, "ACGT", 4, &result) == RHOMB_OK);
  EXPECT(rhomb_number(result, 0, "distance") == 4);
  rhomb_result_free(result);

  rhomb_options* options = options_of("max-distance", "1");
  EXPECT(rhomb_distance(device, options, "GATTACA", 7, "GATTTACCA", 9, &result) == RHOMB_OK);
  EXPECT(rhomb_number(result, 0, "distance") == -1);
  rhomb_result_free(result);
  EXPECT(rhomb_options_set(options, "max-distance", "2") == RHOMB_OK);
  EXPECT(rhomb_align(device, options, "GATTACA", 7, "GATTTACCA", 9, &result) == RHOMB_OK);
  EXPECT(rhomb_number(result, 0, "distance") == 2);
  EXPECT(is(rhomb_text(result, 0, "cigar"), "2=1D3=1D2="));
  EXPECT(is(rhomb_text(result, 0, "strand"), "+"));
  rhomb_result_free(result);
  rhomb_options_free(options);
}

static void many(rhomb_device* device) {
  rhomb_sequences *guides = NULL, *genome = NULL;
  rhomb_result* result = NULL;
  EXPECT(rhomb_sequences_new(&guides) == RHOMB_OK && rhomb_sequences_new(&genome) == RHOMB_OK);
  EXPECT(rhomb_sequences_read(guides, "guides.fa", NULL) == RHOMB_OK);
  EXPECT(rhomb_sequences_add(genome, "genome", "TTTTTGATTACATTTT", 16) == RHOMB_OK);

  rhomb_options* options = options_of("k", "1");
  EXPECT(rhomb_options_set(options, "cigar", NULL) == RHOMB_OK);
  EXPECT(rhomb_search(device, options, guides, genome, &result) == RHOMB_OK);
  EXPECT(rhomb_rows(result) == 2);
  EXPECT(is(rhomb_text(result, 0, "query"), "guide") && is(rhomb_text(result, 1, "query"), "other"));
  EXPECT(rhomb_number(result, 0, "start") == 5 && rhomb_number(result, 0, "end") == 12);
  EXPECT(rhomb_number(result, 1, "distance") == 1);
  EXPECT(is(rhomb_text(result, 1, "cigar"), "1=1X4="));
  rhomb_result_free(result);
  EXPECT(rhomb_lcs(device, options, guides, genome, &result) == RHOMB_USAGE && result == NULL);
  EXPECT(strstr(rhomb_error(), "'cigar'") != NULL);
  rhomb_options_free(options);

  options = options_of("subsequence", "");
  EXPECT(rhomb_lcs(device, options, guides, genome, &result) == RHOMB_OK);
  EXPECT(rhomb_number(result, 0, "length") == 7 && rhomb_number(result, 1, "length") == 5);
  EXPECT(is(rhomb_text(result, 1, "subsequence"), "GTTAC"));
  EXPECT(rhomb_number(result, 0, "rank") == -1); /* without top */
  rhomb_result_free(result);
  rhomb_options_free(options);

  options = options_of("all-pairs", "");
  EXPECT(rhomb_distances(device, options, guides, genome, &result) == RHOMB_OK);
  EXPECT(rhomb_number(result, 0, "distance") == 9 && rhomb_number(result, 1, "distance") == 11);
  rhomb_result_free(result);
  rhomb_options_free(options);
  options = options_of("all-pairs", "");
  EXPECT(rhomb_options_set(options, "max-gaps", "1") == RHOMB_OK);
  EXPECT(rhomb_options_set(options, "ends", "infix") == RHOMB_OK);
  EXPECT(rhomb_gaps(device, options, guides, genome, &result) == RHOMB_OK);
  EXPECT(rhomb_rows(result) == 2);
  EXPECT(is(rhomb_text(result, 0, "score"), "35") && rhomb_number(result, 0, "gaps") == 0);
  EXPECT(rhomb_number(result, 0, "start") == 5 && rhomb_number(result, 0, "end") == 12);
  EXPECT(is(rhomb_text(result, 0, "cigar"), "7=") && is(rhomb_text(result, 1, "cigar"), "1=1X4="));
  EXPECT(is(rhomb_text(result, 1, "score"), "21") && rhomb_number(result, 1, "mismatches") == 1);
  rhomb_result_free(result);
  EXPECT(rhomb_options_set(options, "score-only", "") == RHOMB_OK);
  EXPECT(rhomb_options_set(options, "ends", "global") == RHOMB_OK);
  EXPECT(rhomb_options_set(options, "shard", "2/2") == RHOMB_OK);
  EXPECT(rhomb_gaps(device, options, guides, genome, &result) == RHOMB_OK);
  EXPECT(rhomb_rows(result) == 1 && is(rhomb_text(result, 0, "query"), "other"));
  EXPECT(rhomb_number(result, 0, "end") == 16 && rhomb_text(result, 0, "cigar") == NULL);
  EXPECT(rhomb_options_set(options, "shard", "3/2") == RHOMB_USAGE);
  EXPECT(rhomb_options_set(options, "shard", "2") == RHOMB_USAGE);
  EXPECT(is(rhomb_error(), "shard: '2' is not I/N, as in 2/5"));
  rhomb_result_free(result);
  rhomb_options_free(options);

  options = options_of("witness", "");
  EXPECT(rhomb_options_set(options, "k", "2") == RHOMB_OK);
  EXPECT(rhomb_primer(device, options, guides, genome, &result) == RHOMB_OK);
  EXPECT(rhomb_rows(result) == 0); /* guide is in the genome, and other but for a base */
  rhomb_result_free(result);
  EXPECT(rhomb_options_set(options, "k", "1") == RHOMB_OK);
  EXPECT(rhomb_primer(device, options, guides, genome, &result) == RHOMB_OK);
  EXPECT(rhomb_rows(result) == 2 && is(rhomb_text(result, 0, "query"), "other"));
  EXPECT(is(rhomb_text(result, 0, "sequence"), "GG") && rhomb_number(result, 0, "end") == 2);
  EXPECT(rhomb_number(result, 0, "witness_distance") == 1);
  EXPECT(rhomb_number(result, 0, "distance") == -1); /* is of windows */
  rhomb_result_free(result);
  rhomb_options_free(options);
  options = options_of("length", "3");
  EXPECT(rhomb_primer(device, options, guides, genome, &result) == RHOMB_OK);
  EXPECT(rhomb_rows(result) == 9 && rhomb_number(result, 0, "distance") == 0);
  EXPECT(rhomb_number(result, 5, "distance") == 1 && rhomb_text(result, 5, "witness_target") == NULL);
  rhomb_result_free(result);
  rhomb_options_free(options);
  /* By order there are two queries and one target. */
  EXPECT(rhomb_gaps(device, NULL, guides, genome, &result) == RHOMB_INPUT && result == NULL);
  EXPECT(rhomb_distances(device, NULL, guides, genome, &result) == RHOMB_INPUT && result == NULL);
  rhomb_sequences_free(guides);
  rhomb_sequences_free(genome);
}

static void errors(rhomb_device* device) {
  rhomb_options* options = NULL;
  rhomb_sequences* none = NULL;
  rhomb_result* result = (rhomb_result*)&options;
  EXPECT(rhomb_options_new(&options) == RHOMB_OK);
  EXPECT(rhomb_options_set(options, "max-distanse", "1") == RHOMB_USAGE);
  EXPECT(is(rhomb_error(), "max-distanse: there is no option of this name"));
  EXPECT(rhomb_options_set(options, "k", "two") == RHOMB_USAGE);
  EXPECT(is(rhomb_error(), "k: 'two' is not a whole number from 0 on"));
  EXPECT(rhomb_options_set(options, "threads", "0") == RHOMB_USAGE);
  EXPECT(rhomb_options_set(options, "max-distance", "-1") == RHOMB_USAGE);
  EXPECT(rhomb_options_set(options, "max-distance", "1x") == RHOMB_USAGE);
  EXPECT(rhomb_options_set(options, "ambiguous", "maybe") == RHOMB_USAGE);
  EXPECT(strstr(rhomb_error(), "one of symbol, match, mismatch") != NULL);
  EXPECT(rhomb_options_set(options, "best", "yes") == RHOMB_USAGE);
  EXPECT(rhomb_options_set(options, NULL, "1") == RHOMB_USAGE);
  EXPECT(rhomb_options_set(NULL, "k", "1") == RHOMB_USAGE);
  EXPECT(rhomb_options_set(options, "variant", "quick") == RHOMB_OK);
  EXPECT(rhomb_distance(device, options, "A", 1, "C", 1, &result) == RHOMB_USAGE);
  EXPECT(result == NULL && strstr(rhomb_error(), "quick") != NULL);
  rhomb_options_free(options);

  EXPECT(rhomb_distance(NULL, NULL, "A", 1, "C", 1, &result) == RHOMB_USAGE);
  EXPECT(rhomb_distance(device, NULL, "A", 1, "C", 1, NULL) == RHOMB_USAGE);
  EXPECT(rhomb_distance(device, NULL, NULL, 1, "C", 1, &result) == RHOMB_USAGE);
  EXPECT(rhomb_search(device, NULL, NULL, NULL, &result) == RHOMB_USAGE);
  EXPECT(rhomb_sequences_new(&none) == RHOMB_OK);
  EXPECT(rhomb_sequences_read(none, "missing.fa", NULL) == RHOMB_INPUT);
  EXPECT(strstr(rhomb_error(), "missing.fa") != NULL);
  rhomb_sequences_free(none);
  EXPECT(rhomb_rows(NULL) == 0);
  rhomb_result_free(NULL);

  rhomb_device* nowhere = NULL;
  EXPECT(rhomb_open("no such device", NULL, &nowhere) == RHOMB_OK); /* looked for when needed */
  rhomb_options* forced = options_of("variant", "strips");
  EXPECT(rhomb_distance(nowhere, forced, "ACGT", 4, "CCCC", 4, &result) >= RHOMB_USAGE);
  rhomb_options_free(forced);
  rhomb_close(nowhere);
}

static void stops(rhomb_device* device) {
  const size_t length = 1000000; /* takes seconds at least */
  char* const a = random_text(length, 1);
  char* const b = random_text(length, 2);
  int calls = 0;
  rhomb_result* result = NULL;
  rhomb_options* options = options_of("engine", "strips");
  rhomb_options_progress(options, stop_at_once, &calls);
  EXPECT(rhomb_distance(device, options, a, length, b, length, &result) == RHOMB_STOPPED);
  EXPECT(result == NULL && calls > 0);
  rhomb_options_free(options);
  /* The device is as good as before. */
  EXPECT(rhomb_distance(device, NULL, a, 3000, a, 3000, &result) == RHOMB_OK);
  EXPECT(rhomb_number(result, 0, "distance") == 0);
  rhomb_result_free(result);
  free(a);
  free(b);
}

int main(int argc, char** argv) {
  rhomb_device* device = NULL;
  EXPECT(argc == 2 && is(rhomb_version(), argv[1]));
  EXPECT(rhomb_open(NULL, NULL, &device) == RHOMB_OK);
  pairs(device);
  many(device);
  errors(device);
  stops(device);
  rhomb_close(device);
  return wrong;
}
