"""Networks in ONNX files as policies: the player `onnx`, which runs them by onnxruntime.

The first input is the observation, with an axis for the batch in front, of the size 1 or free: (batch, facts), or
(batch, channels, height, width) for planes. A second input, if there is one, is the mask: (batch, actions). Both are
converted to the type that the file declares. The first output has the logits (batch, actions), and a second one, if
there is one, the value: (batch, 1) or (batch,). Two entries of the file's metadata, `perspective` and `rewards`, say
from which side the network sees the game and on which scale its values are, as for `from_policy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from gdl.errors import NamedFileError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ggp.environments.observations import ObserverName
    from ggp.environments.perspective import Side
    from ggp.environments.rewards import ScaleName

#: The types of inputs that observations and masks are converted to.
_TYPES: Final = {
    **{f"tensor({name})": name for name in ("float16", "int8", "uint8", "int32", "int64", "bool")},
    "tensor(float)": "float32",
    "tensor(double)": "float64",
}

#: Entries of the metadata that say how a network sees a game, and what they may be.
_ENTRIES: Final = {"perspective": ("fixed", "mover"), "rewards": ("unit", "centered")}

#: The axes of the observation for each way to observe.
_OBSERVATIONS: Final[Mapping[int, ObserverName]] = {2: "facts", 4: "planes"}


@final
class OnnxFileError(NamedFileError):
    """A file that is no network, or none that can play a game."""

    code = "onnx-file"


@final
class OnnxPolicy:
    """The network of a file as a policy that returns logits, or logits and a value."""

    def __init__(self, path: str | Path) -> None:
        """Load a file. Raises OnnxFileError, and MissingLibraryError if onnxruntime is not installed."""
        self._file = str(path)
        self.name = Path(path).name
        session = _session(self._file)
        inputs, outputs = session.get_inputs(), session.get_outputs()
        if not 1 <= len(inputs) <= 2 or not 1 <= len(outputs) <= 2:
            raise self._error(
                f"{len(inputs)} inputs and {len(outputs)} outputs, but a policy has the observation and perhaps the "
                "mask as inputs, and logits and perhaps a value as outputs"
            )
        for one in inputs:
            if one.type not in _TYPES:
                raise self._error(f"the input {one.name} is of the type {one.type}, not of {', '.join(_TYPES)}")
            if not one.shape or (one.shape[0] not in (1, None) and not isinstance(one.shape[0], str)):
                raise self._error(f"the first axis of the input {one.name} must be the batch, of the size 1 or free")
        if len(inputs[0].shape) not in _OBSERVATIONS:
            raise self._error(
                f"the input {inputs[0].name} has the shape {_written(inputs[0].shape)}, but an observation has 2 axes, "
                "(batch, facts), or 4, (batch, channels, height, width)"
            )
        self._session = session
        self._inputs = [(one.name, one.shape[1:], _TYPES[one.type]) for one in inputs]
        said = session.get_modelmeta().custom_metadata_map
        for entry, values in _ENTRIES.items():
            if entry in said and said[entry] not in values:
                raise self._error(f"its metadata has {entry} = {said[entry]!r:.60}, not {' or '.join(values)}")
        #: How the network sees a game, and the scale of its values.
        self.observation = _OBSERVATIONS[len(inputs[0].shape)]
        self.perspective: Side = "mover" if said.get("perspective") == "mover" else "fixed"
        self.rewards: ScaleName = "centered" if said.get("rewards") == "centered" else "unit"

    def check(self, game: str, shape: tuple[int, ...], actions: int) -> None:
        """Raise OnnxFileError unless the network is for observations of a shape and a number of actions."""
        import numpy as np

        expected: list[tuple[str, tuple[int, ...]]] = [("observations", shape), ("masks", (actions,))]
        for (name, found, _), (what, wanted) in zip(self._inputs, expected, strict=False):
            fits = len(found) == len(wanted) and all(
                size == own or not isinstance(size, int) for size, own in zip(found, wanted, strict=True)
            )
            if not fits:
                raise self._error(
                    f"the input {name} has the shape {_written(['batch', *found])}, but {what} of {game} have "
                    f"{_written(['batch', *wanted])}"
                )
        logits, _ = self._run(np.zeros(shape, np.int8), np.ones(actions, np.int8))
        if logits.shape != (actions,):
            raise self._error(f"it returns {logits.size} logits, but {game} has {actions} actions")

    def __call__(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> Any:
        """Return the logits (actions,), and the value if the network has one."""
        logits, value = self._run(observation, mask)
        return logits if value is None else (logits, value)

    def _run(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> tuple[NDArray[Any], float | None]:
        given = {
            name: array.astype(dtype)[None]
            for (name, _, dtype), array in zip(self._inputs, (observation, mask), strict=False)
        }
        try:
            outputs = self._session.run(None, given)
        except Exception as error:  # its own errors have no common base
            raise self._error(f"it cannot be run: {_said(error)}") from None
        logits, values = outputs[0][0], outputs[1:]
        if values and values[0].size != 1:
            raise self._error(f"the value must be one number, but has the shape {values[0].shape}")
        return logits, float(values[0].item()) if values else None

    def _error(self, reason: str) -> OnnxFileError:
        return OnnxFileError(self._file, reason)


def _session(file: str) -> Any:
    """Return a session of onnxruntime in one thread, so that a match has no more cores than it should."""
    from ggp.environments.libraries import MissingLibraryError

    if not Path(file).is_file():
        raise OnnxFileError(file, "not a regular file" if Path(file).exists() else "no such file")
    try:
        runtime = import_module("onnxruntime")
    except ModuleNotFoundError as error:
        raise MissingLibraryError("onnxruntime", "onnx") from error
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong is in the exception
    try:
        return runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its own errors have no common base
        raise OnnxFileError(file, f"not an ONNX file that can be run: {_said(error)}") from None


def _said(error: Exception) -> str:
    """Return the message of an error of onnxruntime, without its code and in one line."""
    text = " ".join(str(error).split())
    return text.split(" : ", 2)[-1] if text.startswith("[ONNXRuntimeError]") else text


def _written(shape: Any) -> str:
    return f"({', '.join(str(size) for size in shape)})"
