// The Python program that runs a model's code: it reads the code on descriptor 3 and talks about tools on 3 and 4.

/**
 * Works on Python 3.8 and later. In: `<code bytes> <names bytes>\n`, the code, the tools' names (a line each), then one
 * JSON line a finished call, `{"id", "value"}` or `{"id", "error": {"kind", "message", "details"}}`. Out: JSON lines
 * `{"t": "call", "id", "name", "arguments"}`, and last `{"t": "done"}` or `{"t": "raised", "type", "message", "traceback"}`.
 * Nothing is imported that plain code does not need: json and asyncio come with the first tool call or `await`; or ahead,
 * where files of the workspace have the names of modules that they need.
 */
export const bootProgram = String.raw`
import os, sys, _thread

modules = {}

def own(name):
    """A module for this program, whatever the code has under that name."""
    if name not in modules:
        modules[name] = __import__(name)
    return modules[name]

def hidden_by(folder, standard):
    """Names of Python's own modules that the folder has files of."""
    try:
        entries = set(os.listdir(folder))
    except OSError:
        return []
    is_package = lambda name: name in entries and os.path.exists(os.path.join(folder, name, "__init__.py"))
    return [name for name in standard if name + ".py" in entries or is_package(name)]

def keep_own(folders):
    """Loads what this program needs where files of the folders would be found in its place."""
    standard = getattr(sys, "stdlib_module_names", None)
    if standard is None:
        standard = {entry.partition(".")[0] for entry in os.listdir(os.path.dirname(os.__file__))}
    hidden = [name for folder in folders for name in hidden_by(folder, standard)]
    if not hidden:
        return
    known = set(sys.modules)
    for name in ("asyncio", "base64", "difflib", "json", "linecache", "tokenize", "traceback"):
        own(name)
    for name in set(sys.modules) - known:
        # The code gets the workspace's, as any program there does; only the loop that it runs in stays what it is.
        package = name.partition(".")[0]
        if package in hidden and package != "asyncio":
            del sys.modules[name]

def open_paths():
    """Modules are found where the user's own Python finds them, whose variables do not count here otherwise."""
    given = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    folders = [os.getcwd()] + given
    keep_own(folders)
    sys.path[:0] = folders
    if sys.prefix == sys.base_prefix and not os.environ.get("PYTHONNOUSERSITE"):
        site = own("site")
        packages = site.getusersitepackages()
        if os.path.isdir(packages):
            site.addsitedir(packages)

def take(count):
    parts = []
    while count > 0:
        part = os.read(3, min(count, 1 << 20))
        if not part:
            os._exit(70)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)

def take_line():
    line = b""
    while not line.endswith(b"\n"):
        line += take(1)
    return line

lock = _thread.allocate_lock()

def send(text):
    data = memoryview((text + "\n").encode("utf-8", "backslashreplace"))
    with lock:
        while data:
            data = data[os.write(4, data):]

class BubError(Exception):
    """A tool call that failed."""
    def __init__(self, kind, message, details=None):
        super().__init__(message)
        self.kind, self.message, self.details = kind, message, details or {}

class Media:
    def __init__(self, url=None, data=None, media_type=None):
        if (url is None) == (data is None):
            raise TypeError(type(self).__name__ + " takes either url or data")
        if data is not None and media_type is None:
            raise TypeError(type(self).__name__ + " with data needs media_type")
        self.url, self.data, self.media_type = url, data, media_type

    def plain(self):
        kind = type(self).__name__.lower()
        if self.url is not None:
            return {"type": kind, "url": self.url, "media_type": self.media_type}
        data = self.data
        if isinstance(data, (bytes, bytearray, memoryview)):
            data = own("base64").b64encode(data).decode("ascii")
        return {"type": kind, "data": data, "media_type": self.media_type}

class Image(Media): pass
class Audio(Media): pass
class Video(Media): pass

def plain(value):
    if isinstance(value, Media):
        return value.plain()
    raise TypeError("a value of type " + type(value).__name__ + " cannot be passed to a tool")

class Bridge:
    def __init__(self):
        self.waiting, self.count, self.loop, self.parts = {}, 0, None, []

    async def call(self, name, arguments):
        loop = own("asyncio").get_running_loop()
        if loop is not self.loop:
            self.loop = loop
            os.set_blocking(3, False)
            loop.add_reader(3, self.read)
        self.count += 1
        future = self.waiting[self.count] = loop.create_future()
        send(own("json").dumps({"t": "call", "id": self.count, "name": name, "arguments": arguments}, default=plain))
        return await future

    def read(self):
        try:
            part = os.read(3, 1 << 20)
        except BlockingIOError:
            return
        if not part:
            os._exit(70)
        self.parts.append(part)
        if b"\n" not in part:
            return
        *lines, rest = b"".join(self.parts).split(b"\n")
        self.parts = [rest]
        for line in lines:
            answer = own("json").loads(line)
            future = self.waiting.pop(answer["id"], None)
            if future is None or future.done():
                continue
            error = answer.get("error")
            if error is None:
                future.set_result(answer.get("value"))
            else:
                future.set_exception(BubError(error["kind"], error["message"], error.get("details")))

class Tools:
    def __init__(self, names, direct):
        self.__dict__.update(_names=names, _direct=direct)

    def __getattr__(self, name):
        names = self.__dict__["_names"]
        if name not in names:
            if name in self.__dict__["_direct"]:
                instead = "call " + name + " directly"
                raise AttributeError("there is no tool '" + name + "' inside code; " + instead)
            close = own("difflib").get_close_matches(name, names, 3, 0.6)
            hint = "; did you mean " + ", ".join(close) + "?" if close else ""
            raise AttributeError("there is no tool '" + name + "'" + hint)
        def tool(*args, **arguments):
            if args:
                raise TypeError("tools." + name + "() takes keyword arguments only")
            return bridge.call(name, arguments)
        tool.__name__ = tool.__qualname__ = name
        return tool

    def __dir__(self):
        return self.__dict__["_names"]

bridge = Bridge()

def raised(error, source):
    json, linecache, traceback = own("json"), own("linecache"), own("traceback")
    lines = source.splitlines(True)
    linecache.cache["<code>"] = (len(source), None, lines, "<code>")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<code>"]
    text = ["Traceback (most recent call last):\n"] if frames else []
    text += traceback.format_list(frames) + traceback.format_exception_only(type(error), error)
    try:
        message = str(error)
    except Exception:
        message = "(no message)"
    send(json.dumps({"t": "raised", "type": type(error).__name__, "message": message, "traceback": "".join(text).rstrip()}))

def main():
    code_bytes, names_bytes, direct_bytes = map(int, take_line().split())
    source = take(code_bytes).decode("utf-8", "surrogatepass")
    names = take(names_bytes).decode("utf-8").split("\n") if names_bytes else []
    direct = take(direct_bytes).decode("utf-8").split("\n") if direct_bytes else []
    for descriptor in (3, 4):
        os.set_inheritable(descriptor, False)
    open_paths()
    sys.argv = ["<code>"]
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", write_through=True)
    republic = type(sys)("republic")
    republic.Image, republic.Audio, republic.Video = Image, Audio, Video
    sys.modules["republic"] = republic
    # A module of its own: what the code defines is looked up there by pickle and the like. This one stays alive beside it.
    modules["__main__"] = sys.modules["__main__"]
    sys.modules["__main__"] = type(sys)("__main__")
    scope = sys.modules["__main__"].__dict__
    scope.update(__builtins__=__builtins__, tools=Tools(names, direct), BubError=BubError, republic=republic)
    try:
        # 0x2000: await is allowed outside functions. 0x80: the code does so, and is a coroutine.
        compiled = compile(source, "<code>", "exec", 0x2000, True)
        if compiled.co_flags & 0x80:
            own("asyncio").run(eval(compiled, scope))
        else:
            exec(compiled, scope)
    except SystemExit as error:
        if error.code not in (None, 0):
            return raised(error, source)
    except BaseException as error:
        return raised(error, source)
    try:
        sys.stdout.flush()
    except Exception:
        # The code closed it, or put something else in its place.
        pass
    send('{"t": "done"}')

main()
`;
