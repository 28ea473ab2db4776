# SPDX-License-Identifier: Apache-2.0
"""A page of pictures and tables: one HTML file that needs nothing else, and beside it each picture and table."""

import base64
import datetime
from html import escape

from rhomb.data import make_directory, write_tsv, writing

_STYLE = """
body { margin: 0 auto; max-width: 1180px; padding: 16px; color: #222; background: #fff;
       font: 16px/1.5 "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6em; line-height: 1.2; margin: 0.4em 0; }
h2 { font-size: 1.25em; line-height: 1.25; margin: 0 0 0.4em; }
section { border-top: 1px solid #c8c8c8; margin-top: 28px; padding-top: 20px; }
p { max-width: 46em; margin: 0.5em 0; }
a { color: #0072b2; }
img { display: block; width: 100%; max-width: 580px; height: auto; }
.pictures { display: grid; gap: 12px 28px; grid-template-columns: minmax(0, 1fr); align-items: start; }
table { border-collapse: collapse; margin: 12px 0; }
th, td { border-bottom: 1px solid #ddd; padding: 4px 14px 4px 0; text-align: left; vertical-align: top; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px; margin: 1em 0; }
dt { color: #666; } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
small { color: #666; }
.notes { color: #666; font-size: 0.9em; overflow-wrap: anywhere; }
@media (min-width: 700px) { .several .pictures { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media (min-width: 900px) {
  .alone { display: grid; gap: 12px 40px; grid-template-columns: minmax(0, 580px) minmax(0, 1fr); align-items: start; }
}
@media (max-width: 500px) { body { padding: 10px; } table { font-size: 0.88em; } }
"""


class Raw(str):
    """Text that is HTML already."""


def html(text):
    """The text as HTML, unless it is HTML already."""
    return text if isinstance(text, Raw) else escape(str(text))


def table(head, rows):
    """A table as HTML."""
    lines = ["<tr>" + "".join(f"<th>{html(cell)}</th>" for cell in head) + "</tr>"] if head else []
    lines += ["<tr>" + "".join(f"<td>{html(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return Raw('<div class="wide"><table>\n' + "\n".join(lines) + "\n</table></div>\n")


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


class Page:
    """Sections one after another; write() makes index.html last, so that it is there only when all is."""

    def __init__(self, directory, title):
        self.directory = make_directory(directory)
        self.title = title
        self.parts = [f"<h1>{html(title)}</h1>\n"]

    def add(self, text):
        """A paragraph, or HTML."""
        self.parts.append(text if isinstance(text, Raw) else f"<p>{html(text)}</p>\n")

    def entries(self, pairs):
        """Names and values below each other."""
        rows = "".join(f"<dt>{html(name)}</dt><dd>{html(value)}</dd>\n" for name, value in pairs)
        self.parts.append(f"<dl>\n{rows}</dl>\n")

    def picture(self, picture):
        """Writes it beside the page and returns it as HTML."""
        content = picture.bytes("svg")
        with writing(self.directory / f"{picture.name}.svg", "wb") as file:
            file.write(content)
        picture.close()
        data = base64.b64encode(content).decode("ascii")
        alt = escape(picture.figure.axes[0].get_title(loc="left"))
        return Raw(f'<div><img src="data:image/svg+xml;base64,{data}" alt="{alt}"/></div>\n')

    def tsv(self, name, rows):
        """Writes rows beside the page and returns a link."""
        write_tsv(self.directory / name, rows)
        return Raw(f'<a href="{name}">{name}</a>')

    def section(self, anchor, title, about, pictures=(), beside="", below=""):
        """A heading, words, pictures, and what stands beside them."""
        kind = "alone" if len(pictures) == 1 else "several"
        drawn = "".join(self.picture(picture) for picture in pictures)
        text = f'<section id="{escape(anchor)}">\n<h2>{html(title)}</h2>\n'
        text += (
            about
            if isinstance(about, Raw)
            else "".join(f"<p>{html(line)}</p>\n" for line in about.split("\n") if line)
        )
        if drawn:
            text += f'<div class="{kind}">\n<div class="pictures">\n{drawn}</div>\n<div>\n{beside}</div>\n</div>\n'
        else:
            text += beside
        self.parts.append(text + below + "</section>\n")

    def write(self):
        with writing(self.directory / "index.html") as file:
            file.write(
                '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
                '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
                f"<title>{html(self.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
                + "".join(self.parts)
                + "</body>\n</html>\n"
            )
        return self.directory / "index.html"


def notes(lines):
    """What was left out, folded away."""
    if not lines:
        return ""
    items = "\n".join(f"<li>{html(line)}</li>" for line in lines)
    return Raw(
        f'<details class="notes"><summary>Left out: {len(lines)}</summary>\n<ul>\n{items}\n</ul></details>\n'
    )
