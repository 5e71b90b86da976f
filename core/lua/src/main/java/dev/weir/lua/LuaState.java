package dev.weir.lua;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/**
 * A Lua state with one script in its sandbox. It belongs to the thread that created it, which needs a deep stack (see
 * {@link LuaWorker}).
 *
 * <p><b>Time.</b> The JIT compiler is off, and a hook reads the clock every {@value #HOOK_INSTRUCTIONS} instructions.
 * When the time is up, the hook installs {@code lua_error} itself as the hook of every instruction. Code that catches
 * the error hits the next one at once, and no Java frame is unwound. {@code sandbox.lua} replaces C functions that
 * could run long without an instruction. The limit counts CPU time, so a pause of the machine ends no script. By the
 * wall clock, a run ends after {@value #PATIENCE} times the limit at the latest.
 *
 * <p><b>Memory.</b> Every allocation passes through {@link #allocate}, which refuses allocations over the limit; Lua
 * then raises its own "not enough memory". The limit is lifted while the host pushes values, because such an error
 * would meet Java frames (see {@link LuaApi}).
 */
final class LuaState implements AutoCloseable {
    static final int HOOK_INSTRUCTIONS = 64;
    static final int PATIENCE = 4;
    /** Time to parse a script and run its top level, which happens at startup while the JVM is still cold. */
    static final Duration LOAD_TIME = Duration.ofSeconds(5);
    private static final int DEEPEST_DATA = 16;
    private static final int MOST_ARGUMENTS = 32;
    private static final String[] TYPES = {"nil", "boolean", "userdata", "number", "string", "table", "function",
        "userdata",
        "thread", "cdata"};
    private static final LuaInterface SANDBOX = LuaInterface.resource(LuaState.class, "sandbox.lua");
    private static final LuaInterface PATTERNS = LuaInterface.resource(LuaState.class, "patterns.lua");
    private static final LuaInterface MODULES = LuaInterface.resource(LuaState.class, "modules.lua");
    private static final String[] LIBRARIES = {"luaopen_base", "luaopen_table", "luaopen_string", "luaopen_math",
        "luaopen_bit", "luaopen_os"};
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final LuaApi api;
    private final Arena arena = Arena.ofConfined();
    private final long memoryLimit;
    private final long hook;
    private final MethodHandle systemAllocator;
    private final long systemAllocatorAddress;
    private final long systemAllocatorData;
    private final CoreFunctions core;
    private final MemorySegment lengthOut = arena.allocate(JAVA_LONG);
    private final long state;
    private int entry;

    private long used;
    private boolean unlimited = true;
    private boolean outOfMemory;
    private long wallStart;
    private long cpuStart;
    private long limitNanos;
    private boolean timedOut;
    private HostFunction host = NO_HOST;

    private static final HostFunction NO_HOST = (name, arguments) -> {
        throw new IllegalStateException(name + " is not available while the script is loaded");
    };

    private LuaState(LuaApi api, LuaLimits limits, ScriptLog log) throws LuaException {
        this.api = api;
        memoryLimit = limits.memoryBytes();
        core = new CoreFunctions(log);
        state = api.newState();
        if (state == 0) {
            arena.close();
            throw new LuaException(LuaException.Kind.UNAVAILABLE, "no memory for a Lua state");
        }
        MemorySegment data = arena.allocate(JAVA_LONG);
        systemAllocatorAddress = api.getAllocator(state, data);
        systemAllocatorData = data.get(JAVA_LONG, 0);
        systemAllocator = LuaApi.allocator(systemAllocatorAddress);
        used = api.collect(state, LuaApi.GC_COUNT) * 1024L + api.collect(state, LuaApi.GC_COUNT_REMAINDER);
        api.setAllocator(state, stub("allocate", LuaApi.ALLOCATOR), systemAllocatorData);
        hook = stub("tick", LuaApi.HOOK);
        // The JIT engine is off: compiled traces run without hooks, and a mail server should not have writable code
        // pages.
        api.setMode(state, 0, 0);
    }

    /**
     * Creates a state and its sandbox, and runs the script in it.
     *
     * @throws LuaException with the position of the error; all resources are released then
     */
    static LuaState load(LuaSource source, LuaLimits limits, LuaInterface kind, ScriptLog log) throws LuaException {
        LuaState made = new LuaState(LuaApi.get(), limits, log);
        try {
            made.prepare(source, kind);
            return made;
        } catch (Throwable e) {
            made.close();
            throw e;
        }
    }

    private void prepare(LuaSource source, LuaInterface kind) throws LuaException {
        byte[] text = source.bytes();
        for (String library : LIBRARIES) {
            api.pushFunction(state, api.address(library));
            run(0, 0, LOAD_TIME, NO_HOST);
        }
        trusted(PATTERNS);
        run(0, 1, LOAD_TIME, NO_HOST);
        int patterns = api.reference(state, LuaApi.REGISTRY);
        trusted(SANDBOX);
        api.pushFunction(state, stub("host", LuaApi.FUNCTION));
        api.rawGetIndex(state, LuaApi.REGISTRY, patterns);
        run(2, 1, LOAD_TIME, NO_HOST);
        int kit = api.reference(state, LuaApi.REGISTRY);
        trusted(MODULES);
        api.rawGetIndex(state, LuaApi.REGISTRY, kit);
        run(1, 0, LOAD_TIME, NO_HOST);
        trusted(kind);
        api.rawGetIndex(state, LuaApi.REGISTRY, kit);
        run(1, 1, LOAD_TIME, NO_HOST);
        entry = api.reference(state, LuaApi.REGISTRY);

        api.rawGetIndex(state, LuaApi.REGISTRY, entry);
        push(state, "start", 0);
        api.rawGet(state, -2);
        compile(text, source.chunkName(), source.name());
        run(1, 0, LOAD_TIME, NO_HOST);
        api.setTop(state, 0);
    }

    private void trusted(LuaInterface part) throws LuaException {
        compile(part.text().getBytes(StandardCharsets.UTF_8),
                ("=" + part.name() + "\0").getBytes(StandardCharsets.UTF_8), part.name());
    }

    private void compile(byte[] text, byte[] chunkName, String name) throws LuaException {
        if (text.length > 0 && text[0] == 0x1b) {
            throw new LuaException(LuaException.Kind.SYNTAX, name + ": bytecode is refused");
        }
        try (Arena call = Arena.ofConfined()) {
            unlimited = false;
            int status = api.load(state, call.allocateFrom(JAVA_BYTE, text), call.allocateFrom(JAVA_BYTE, chunkName),
                    call.allocateFrom("t"));
            unlimited = true;
            if (status != LuaApi.OK) {
                String message = message();
                api.setTop(state, 0);
                throw new LuaException(
                        status == LuaApi.ERROR_MEMORY ? LuaException.Kind.MEMORY_LIMIT : LuaException.Kind.SYNTAX,
                        message);
            }
        } finally {
            unlimited = true;
        }
    }

    /**
     * Calls a function of the script's interface.
     *
     * @param arguments values of the kinds that {@link HostFunction} may return
     * @throws LuaException of kind RUNTIME, TIME_LIMIT or MEMORY_LIMIT; after the last two this state must be closed
     */
    List<LuaValue> call(String function, Duration time, HostFunction functions,
            List<? extends @Nullable Object> arguments)
            throws LuaException {
        if (used > memoryLimit / 2) {
            api.collect(state, LuaApi.GC_COLLECT);
        }
        api.setTop(state, 0);
        if (!api.checkStack(state, MOST_ARGUMENTS)) {
            throw new LuaException(LuaException.Kind.MEMORY_LIMIT, "no memory for arguments");
        }
        api.rawGetIndex(state, LuaApi.REGISTRY, entry);
        push(state, function, 0);
        api.rawGet(state, -2);
        for (Object argument : arguments) {
            push(state, argument, 0);
        }
        run(arguments.size(), -1, time, functions);
        int top = api.getTop(state);
        List<LuaValue> results = new ArrayList<>();
        for (int i = 2; i <= top; i++) {
            results.add(value(state, i));
        }
        api.setTop(state, 0);
        return results;
    }

    /** Calls the function on the stack, within the limits. */
    private void run(int arguments, int results, Duration time, HostFunction functions) throws LuaException {
        host = functions;
        timedOut = false;
        outOfMemory = false;
        limitNanos = time.toNanos();
        cpuStart = THREADS.getCurrentThreadCpuTime();
        wallStart = System.nanoTime();
        core.deadline(wallStart + limitNanos);
        api.setHook(state, hook, LuaApi.MASK_COUNT, HOOK_INSTRUCTIONS);
        unlimited = false;
        int status;
        try {
            status = api.pcall(state, arguments, results);
        } finally {
            unlimited = true;
            host = NO_HOST;
        }
        api.setHook(state, 0, 0, 0);
        if (timedOut) {
            api.setTop(state, 0);
            throw new LuaException(LuaException.Kind.TIME_LIMIT,
                    "the script ran longer than " + time.toMillis() + " ms");
        }
        if (status != LuaApi.OK) {
            String message = message();
            api.setTop(state, 0);
            throw status == LuaApi.ERROR_MEMORY || outOfMemory
                    ? new LuaException(LuaException.Kind.MEMORY_LIMIT,
                            "the script wanted more than " + memoryLimit + " bytes")
                    : new LuaException(LuaException.Kind.RUNTIME, message);
        }
    }

    private String message() {
        return value(state, -1) instanceof LuaValue.Str string ? string.text() : "an error without a text";
    }

    /** The hook; called by LuaJIT. */
    @SuppressWarnings("unused")
    private void tick(long running, long debug) {
        long wall = System.nanoTime() - wallStart;
        if (wall < limitNanos) {
            return;
        }
        if (wall >= PATIENCE * limitNanos || THREADS.getCurrentThreadCpuTime() - cpuStart >= limitNanos) {
            timedOut = true;
            api.setHook(state, api.raise, LuaApi.MASK_COUNT, 1);
        }
    }

    /** Returns the allocator; called by LuaJIT. */
    @SuppressWarnings("unused")
    private long allocate(long data, long block, long oldSize, long newSize) {
        long growth = newSize - oldSize;
        if (growth > 0 && !unlimited && used + growth > memoryLimit) {
            outOfMemory = true;
            return 0;
        }
        try {
            long moved = (long) systemAllocator.invokeExact(data, block, oldSize, newSize);
            if (moved != 0 || newSize == 0) {
                used += growth;
            }
            return moved;
        } catch (Throwable e) {
            return 0;
        }
    }

    /**
     * Returns the only C function that objects of scripts call; called by LuaJIT.
     *
     * @return success, and the result
     */
    @SuppressWarnings("unused")
    private int host(long running) {
        unlimited = true;
        try {
            int top = api.getTop(running);
            List<LuaValue> arguments = new ArrayList<>();
            for (int i = 2; i <= Math.min(top, MOST_ARGUMENTS); i++) {
                arguments.add(value(running, i));
            }
            String name = top > 0 && value(running, 1) instanceof LuaValue.Str string ? string.text() : "";
            Object result = core.knows(name) ? core.call(name, arguments) : host.call(name, arguments);
            if (!api.checkStack(running, MOST_ARGUMENTS + 3 * DEEPEST_DATA)) {
                return 0;
            }
            api.pushBoolean(running, true);
            push(running, result, 0);
            return 2;
        } catch (RuntimeException | Error e) {
            // An exception that passes through a C function ends the process.
            api.pushBoolean(running, false);
            push(running, LuaException.words(e), 0);
            return 2;
        } finally {
            unlimited = false;
        }
    }

    private LuaValue value(long from, int index) {
        int type = api.type(from, index);
        return switch (type) {
            case LuaApi.TYPE_BOOLEAN -> new LuaValue.Bool(api.toBoolean(from, index));
            case LuaApi.TYPE_NUMBER -> new LuaValue.Num(api.toNumber(from, index));
            case LuaApi.TYPE_STRING -> {
                long address = api.toString(from, index, lengthOut);
                yield new LuaValue.Str(LuaApi.at(address, lengthOut.get(JAVA_LONG, 0)).toArray(JAVA_BYTE));
            }
            default -> type > 0 && type < TYPES.length ? new LuaValue.Other(TYPES[type]) : LuaValue.Other.NIL;
        };
    }

    private void push(long to, @Nullable Object value, int depth) {
        switch (value) {
            case null -> api.pushNil(to);
            case Boolean bool -> api.pushBoolean(to, bool);
            case Number number -> api.pushNumber(to, number.doubleValue());
            case String string -> pushBytes(to, string.getBytes(StandardCharsets.UTF_8));
            case byte[] bytes -> pushBytes(to, bytes);
            case java.util.List<?> list when depth < DEEPEST_DATA -> {
                api.createTable(to, list.size(), 0);
                for (int i = 0; i < list.size(); i++) {
                    push(to, list.get(i), depth + 1);
                    api.rawSetIndex(to, -2, i + 1);
                }
            }
            case java.util.Map<?, ?> map when depth < DEEPEST_DATA -> {
                api.createTable(to, 0, map.size());
                map.forEach((key, item) -> {
                    push(to, String.valueOf(key), depth + 1);
                    push(to, item, depth + 1);
                    api.rawSet(to, -3);
                });
            }
            default -> throw new IllegalArgumentException("not a Lua value: " + value.getClass());
        }
    }

    private void pushBytes(long to, byte[] bytes) {
        try (Arena call = Arena.ofConfined()) {
            api.pushString(to, call.allocateFrom(JAVA_BYTE, bytes), bytes.length);
        }
    }

    private long stub(String method, java.lang.foreign.FunctionDescriptor descriptor) {
        MethodType type = descriptor.toMethodType();
        try {
            return LuaApi.stub(MethodHandles.lookup().findVirtual(LuaState.class, method, type).bindTo(this),
                    descriptor,
                    arena);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(method, e);
        }
    }

    @Override
    public void close() {
        // LuaJIT frees its whole heap at once if its own allocator is in place.
        api.setAllocator(state, systemAllocatorAddress, systemAllocatorData);
        api.close(state);
        arena.close();
    }
}
