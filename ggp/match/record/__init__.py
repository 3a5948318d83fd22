"""Match records: as values, as the JSON that viewers of the GGP community read, and in files."""

from ggp.match.record.fields import RecordError
from ggp.match.record.json_form import from_json, ply_from_json, ply_to_json, to_json
from ggp.match.record.record_file import ReadRecord, RecordFile, open_record, read_record, write_record
from ggp.match.record.values import MatchRecord, Ply, Result, state_facts
from ggp.match.record.variations import Variation

__all__ = [
    "MatchRecord",
    "Ply",
    "ReadRecord",
    "RecordError",
    "RecordFile",
    "Result",
    "Variation",
    "from_json",
    "open_record",
    "ply_from_json",
    "ply_to_json",
    "read_record",
    "state_facts",
    "to_json",
    "write_record",
]
