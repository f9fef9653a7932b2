"""From the text of a field to its value: blanks, whole numbers, numbers, times, lab results with their sign."""

import polars as pl

from tirec.records.columns import TIME_FORMAT, Column, Kind, TableSpec

LAB_NUMBER = r"^([<>]=?)?\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*%?$"
"""A lab value that is a number: an optional comparison sign, digits with or without a leading zero, an optional %."""


WHY: dict[Kind, str] = {
    "id": "is not a whole number",
    "count": "is not a whole number",
    "small": "is not a whole number",
    "number": "is not a number",
    "number32": "is not a number",
    "seconds": "is not a time",
    "instant": "is not a time",
    "day": "is not a date",
}


def text(raw: pl.Expr, kind: Kind) -> pl.Expr:
    """The field as text: null where blank; `raw` keeps outer blanks; line ends inside are a plain newline."""
    if kind in ("text", "raw"):
        raw = raw.str.replace_all("\r\n", "\n", literal=True)
    stripped = raw.str.strip_chars()
    return pl.when(stripped.str.len_bytes() > 0).then(raw if kind == "raw" else stripped)


def instant(words: pl.Expr, time_format: str = TIME_FORMAT) -> pl.Expr:
    """Seconds since 1970 of a naive time; microseconds inside, so that years after 2262 are right."""
    return words.str.to_datetime(time_format, time_unit="us", strict=False).dt.epoch("s")


def day(words: pl.Expr) -> pl.Expr:
    """Days since 1970 of a date, with or without a time behind it."""
    timed = words.str.to_datetime(TIME_FORMAT, time_unit="us", strict=False).dt.date()
    return pl.coalesce(timed, words.str.to_date("%Y-%m-%d", strict=False)).cast(pl.Int32)


def number(words: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A finite number; `nan` and `inf` are not measurements."""
    value = words.cast(dtype, strict=False)
    return pl.when(value.is_finite()).then(value)


def value(words: pl.Expr, column: Column, time_format: str = TIME_FORMAT) -> pl.Expr:
    """The typed value of a field's text, null where the text is not one; times in seconds since 1970."""
    match column.kind:
        case "seconds" | "instant":
            return instant(words, time_format)
        case "day":
            return day(words)
        case "number" | "number32":
            return number(words, column.dtype)
        case "id":
            return words.cast(pl.Int64, strict=False)
        case "count" | "small":
            return words.str.replace(r"\.0+$", "").cast(column.dtype, strict=False)
    return words


def lab_number(words: pl.Expr) -> pl.Expr:
    """The number in a lab value, null where it is not one (`NEG`, `0-2`, `10/4`)."""
    return words.str.strip_chars().str.extract(LAB_NUMBER, 2).cast(pl.Float64, strict=False)


def lab_sign(words: pl.Expr) -> pl.Expr:
    """The comparison sign of a numeric lab value, empty without one."""
    return words.str.strip_chars().str.extract(LAB_NUMBER, 1).fill_null("")


def decode(frame: pl.DataFrame) -> pl.DataFrame:
    """Byte columns as text; a field that is not UTF-8 becomes null, which no field of a CSV file otherwise is."""
    return frame.with_columns(_decoded(column) for column in frame.drop("row").iter_columns())


def _decoded(column: pl.Series) -> pl.Series:
    try:
        return column.cast(pl.String)
    except pl.exceptions.ComputeError:
        return pl.Series(column.name, [_decoded_field(field) for field in column], dtype=pl.String)


def _decoded_field(field: bytes) -> str | None:
    try:
        return field.decode("utf-8")
    except UnicodeDecodeError:
        return None


def typed(spec: TableSpec, decoded: pl.DataFrame) -> pl.DataFrame:
    """The columns of `spec` under their table names; categories still as text, times still since 1970."""
    kinds: dict[str, Kind] = {column.source: column.kind for column in spec.columns}
    words = decoded.select("row", *(text(pl.col(header), kinds[header]).alias(header) for header in spec.headers))
    values = (value(pl.col(column.source), column, spec.time_format).alias(column.name) for column in spec.columns)
    frame = words.select("row", *values)
    if spec.name == "labs":
        raw = pl.col("component_value")
        frame = frame.with_columns(value=lab_number(raw), sign=lab_sign(raw))
    return frame


def faults(spec: TableSpec, decoded: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """One row (row, column, why) per row of the file that has a field that cannot be read: its first such field."""
    found = [_unreadable(decoded, header) for header in spec.headers]  # empty frames keep the concat typed
    for column in spec.columns:
        if column.kind in WHY and frame[column.name].null_count():
            found.append(_mistyped(decoded, frame, column))
    return pl.concat(found).unique("row", keep="first", maintain_order=True).sort("row")


def _unreadable(decoded: pl.DataFrame, header: str) -> pl.DataFrame:
    rows = decoded.filter(pl.col(header).is_null())
    return rows.select("row", column=pl.lit(header), why=pl.lit("is not UTF-8"))


def _mistyped(decoded: pl.DataFrame, frame: pl.DataFrame, column: Column) -> pl.DataFrame:
    blank = decoded[column.source].str.strip_chars().str.len_bytes() == 0
    rows = frame.select("row").filter(frame[column.name].is_null() & ~blank)
    return rows.select("row", column=pl.lit(column.source), why=pl.lit(WHY[column.kind]))
