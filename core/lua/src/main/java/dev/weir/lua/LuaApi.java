package dev.weir.lua;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/**
 * The functions of Lua's C interface that this module calls, under their own names (Lua 5.1 reference manual, chapters
 * 3 and 4; luajit.org/ext_c_api.html). Pointers are longs.
 *
 * <p><b>A Lua error must never pass through a Java frame.</b> LuaJIT raises errors by unwinding the C stack, which ends
 * the process at a Java frame. Therefore this class contains only functions that raise nothing but "not enough memory",
 * the memory limit is lifted while they are called outside of {@link #pcall}, and code that may raise other errors runs
 * in {@link #pcall}.
 */
@SuppressWarnings("restricted")
final class LuaApi {
    static final int OK = 0;
    static final int ERROR_MEMORY = 4;
    static final int REGISTRY = -10000;
    static final int TYPE_BOOLEAN = 1;
    static final int TYPE_NUMBER = 3;
    static final int TYPE_STRING = 4;
    static final int MASK_COUNT = 8;
    static final int GC_COLLECT = 2;
    static final int GC_COUNT = 3;
    static final int GC_COUNT_REMAINDER = 4;

    /** {@code void *(*)(void *ud, void *block, size_t old, size_t new)} */
    static final FunctionDescriptor ALLOCATOR = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
            JAVA_LONG);
    /** {@code void (*)(lua_State *, lua_Debug *)} */
    static final FunctionDescriptor HOOK = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG);
    /** {@code int (*)(lua_State *)} */
    static final FunctionDescriptor FUNCTION = FunctionDescriptor.of(JAVA_INT, JAVA_LONG);

    private final SymbolLookup library;
    private final MethodHandle newState;
    private final MethodHandle close;
    private final MethodHandle setMode;
    private final MethodHandle getAllocator;
    private final MethodHandle setAllocator;
    private final MethodHandle setHook;
    private final MethodHandle pcall;
    private final MethodHandle load;
    private final MethodHandle setTop;
    private final MethodHandle getTop;
    private final MethodHandle type;
    private final MethodHandle toBoolean;
    private final MethodHandle toNumber;
    private final MethodHandle toString;
    private final MethodHandle pushNil;
    private final MethodHandle pushBoolean;
    private final MethodHandle pushNumber;
    private final MethodHandle pushString;
    private final MethodHandle pushFunction;
    private final MethodHandle createTable;
    private final MethodHandle rawSet;
    private final MethodHandle rawSetIndex;
    private final MethodHandle rawGet;
    private final MethodHandle rawGetIndex;
    private final MethodHandle reference;
    private final MethodHandle collect;
    private final MethodHandle checkStack;

    /** Returns the address of {@code lua_error}, a hook that raises an error without a Java frame. */
    final long raise;

    private LuaApi(SymbolLookup library) {
        this.library = library;
        raise = address("lua_error");
        newState = bind("luaL_newstate", FunctionDescriptor.of(JAVA_LONG));
        close = bind("lua_close", FunctionDescriptor.ofVoid(JAVA_LONG));
        setMode = bind("luaJIT_setmode", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
        getAllocator = bind("lua_getallocf", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
        setAllocator = bind("lua_setallocf", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG));
        setHook = bind("lua_sethook", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
        pcall = bind("lua_pcall", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT));
        load = bind("luaL_loadbufferx",
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
        setTop = bind("lua_settop", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
        getTop = bind("lua_gettop", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
        type = bind("lua_type", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
        toBoolean = bind("lua_toboolean", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
        toNumber = bind("lua_tonumber", FunctionDescriptor.of(JAVA_DOUBLE, JAVA_LONG, JAVA_INT));
        toString = bind("lua_tolstring", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
        pushNil = bind("lua_pushnil", FunctionDescriptor.ofVoid(JAVA_LONG));
        pushBoolean = bind("lua_pushboolean", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
        pushNumber = bind("lua_pushnumber", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_DOUBLE));
        pushString = bind("lua_pushlstring", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG));
        pushFunction = bind("lua_pushcclosure", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT));
        createTable = bind("lua_createtable", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_INT));
        rawSet = bind("lua_rawset", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
        rawSetIndex = bind("lua_rawseti", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_INT));
        rawGet = bind("lua_rawget", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
        rawGetIndex = bind("lua_rawgeti", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_INT));
        reference = bind("luaL_ref", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
        collect = bind("lua_gc", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
        checkStack = bind("lua_checkstack", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    }

    /**
     * Returns the library of this process, loaded on the first call.
     *
     * @throws LuaException of kind UNAVAILABLE
     */
    static LuaApi get() throws LuaException {
        if (Loaded.API == null) {
            throw new LuaException(LuaException.Kind.UNAVAILABLE, "LuaJIT: " + Loaded.REASON);
        }
        return Loaded.API;
    }

    /** Loads the library once and remembers a failure. */
    private static final class Loaded {
        static final @org.jspecify.annotations.Nullable LuaApi API;
        static final String REASON;

        static {
            LuaApi api = null;
            String reason = "";
            try {
                api = new LuaApi(NativeImage.load());
            } catch (IOException | IllegalStateException | IllegalCallerException e) {
                reason = String.valueOf(e.getMessage());
            }
            API = api;
            REASON = reason;
        }

        private Loaded() {}
    }

    /** Returns the address of a function of the library. */
    long address(String name) {
        return library.find(name)
                .orElseThrow(() -> new IllegalStateException(name + " is missing from the library"))
                .address();
    }

    private MethodHandle bind(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(MemorySegment.ofAddress(address(name)), descriptor);
    }

    /** Returns a handle to an allocator of the library. It does not call back, so the JVM needs no transition. */
    static MethodHandle allocator(long address) {
        return Linker.nativeLinker()
                .downcallHandle(MemorySegment.ofAddress(address), ALLOCATOR, Linker.Option.critical(false));
    }

    /** Returns a C function that calls {@code target} while {@code arena} is open. */
    static long stub(MethodHandle target, FunctionDescriptor descriptor, Arena arena) {
        return Linker.nativeLinker().upcallStub(target, descriptor, arena).address();
    }

    /** Returns {@code length} bytes at an address. */
    static MemorySegment at(long address, long length) {
        return MemorySegment.ofAddress(address).reinterpret(length);
    }

    long newState() {
        try {
            return (long) newState.invokeExact();
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void close(long state) {
        try {
            close.invokeExact(state);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void setMode(long state, int index, int mode) {
        try {
            int ignored = (int) setMode.invokeExact(state, index, mode);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    long getAllocator(long state, MemorySegment userData) {
        try {
            return (long) getAllocator.invokeExact(state, userData.address());
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void setAllocator(long state, long function, long userData) {
        try {
            setAllocator.invokeExact(state, function, userData);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void setHook(long state, long hook, int mask, int count) {
        try {
            int ignored = (int) setHook.invokeExact(state, hook, mask, count);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    int pcall(long state, int arguments, int results) {
        try {
            return (int) pcall.invokeExact(state, arguments, results, 0);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Loads text; {@code name} and {@code mode} must end with a zero byte. */
    int load(long state, MemorySegment text, MemorySegment name, MemorySegment mode) {
        try {
            return (int) load.invokeExact(state, text.address(), text.byteSize(), name.address(), mode.address());
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void setTop(long state, int index) {
        try {
            setTop.invokeExact(state, index);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    int getTop(long state) {
        try {
            return (int) getTop.invokeExact(state);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    int type(long state, int index) {
        try {
            return (int) type.invokeExact(state, index);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    boolean toBoolean(long state, int index) {
        try {
            return (int) toBoolean.invokeExact(state, index) != 0;
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    double toNumber(long state, int index) {
        try {
            return (double) toNumber.invokeExact(state, index);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /**
     * Returns the address of a string's bytes and writes its length to {@code length}. The value must be a string
     * already.
     */
    long toString(long state, int index, MemorySegment length) {
        try {
            return (long) toString.invokeExact(state, index, length.address());
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void pushNil(long state) {
        try {
            pushNil.invokeExact(state);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void pushBoolean(long state, boolean value) {
        try {
            pushBoolean.invokeExact(state, value ? 1 : 0);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void pushNumber(long state, double value) {
        try {
            pushNumber.invokeExact(state, value);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void pushString(long state, MemorySegment bytes, long length) {
        try {
            pushString.invokeExact(state, bytes.address(), length);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void pushFunction(long state, long function) {
        try {
            pushFunction.invokeExact(state, function, 0);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void createTable(long state, int places, int fields) {
        try {
            createTable.invokeExact(state, places, fields);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void rawSet(long state, int table) {
        try {
            rawSet.invokeExact(state, table);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void rawSetIndex(long state, int table, int index) {
        try {
            rawSetIndex.invokeExact(state, table, index);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void rawGet(long state, int table) {
        try {
            rawGet.invokeExact(state, table);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    void rawGetIndex(long state, int table, int index) {
        try {
            rawGetIndex.invokeExact(state, table, index);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Moves the top of the stack into a table and returns its index there. */
    int reference(long state, int table) {
        try {
            return (int) reference.invokeExact(state, table);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    int collect(long state, int what) {
        try {
            return (int) collect.invokeExact(state, what, 0);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    boolean checkStack(long state, int slots) {
        try {
            return (int) checkStack.invokeExact(state, slots) != 0;
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Returns a handle that matches its descriptor throws only JVM errors. */
    private static AssertionError failed(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return new AssertionError("call of a C function", cause);
    }
}
