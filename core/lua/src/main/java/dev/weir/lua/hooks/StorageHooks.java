package dev.weir.lua.hooks;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import dev.weir.lua.LuaException;
import dev.weir.lua.LuaInterface;
import dev.weir.lua.LuaLimits;
import dev.weir.lua.LuaScript;
import dev.weir.lua.LuaSource;
import dev.weir.lua.LuaValue;
import dev.weir.lua.ScriptLog;
import org.jspecify.annotations.Nullable;

/**
 * The storage handlers of one script (docs/reference/storage.md#lua-handlers). Handlers of a kind run in registration
 * order.
 *
 * <p>Fails closed by default: if a handler raises an error or runs too long, the command is refused. Rspamd logs such
 * an error and continues; {@link OnError#CONTINUE} does the same. Thread-safe; the owner must close it.
 */
public final class StorageHooks implements AutoCloseable {
    /** The treatment of a command whose handler failed. */
    public enum OnError {
        REFUSE, CONTINUE
    }

    private static final LuaInterface INTERFACE = LuaInterface.resource(StorageHooks.class, "hooks.lua");

    private final LuaScript script;
    private final HookFunctions host;
    private final OnError onError;
    private final ScriptLog log;
    private final boolean pre;
    private final boolean post;
    private final boolean blacklist;

    private StorageHooks(LuaScript script, HookFunctions host, OnError onError, ScriptLog log, List<LuaValue> kinds) {
        this.script = script;
        this.host = host;
        this.onError = onError;
        this.log = log;
        pre = some(kinds, 0);
        post = some(kinds, 1);
        blacklist = some(kinds, 2);
    }

    private static boolean some(List<LuaValue> kinds, int index) {
        return kinds.get(index) instanceof LuaValue.Num(double count) && count > 0;
    }

    /**
     * Loads a script and runs its registration of handlers.
     *
     * @throws LuaException with file and line; also RUNTIME if the script registers no handler
     */
    public static StorageHooks load(LuaSource source, LuaLimits limits, HookHost host, OnError onError, ScriptLog log)
            throws LuaException {
        LuaScript script = LuaScript.load(source, limits, INTERFACE, log);
        try {
            HookFunctions functions = new HookFunctions(host);
            return new StorageHooks(script, functions, onError, log, script.call("kinds", functions, List.of()));
        } catch (Throwable e) {
            script.close();
            throw e;
        }
    }

    /** Returns whether a handler runs before commands. */
    public boolean hasPre() {
        return pre;
    }

    /** Returns whether a handler runs after checks. */
    public boolean hasPost() {
        return post;
    }

    /** Returns whether a handler receives refused clients. */
    public boolean hasBlacklist() {
        return blacklist;
    }

    /**
     * Runs the handlers before a command.
     *
     * @param flag flag of the request
     * @param value value of the request
     */
    public HookVerdict before(HookRequest request, long flag, long value) {
        if (!pre) {
            return HookVerdict.CONTINUE;
        }
        // Like Rspamd, this hides the shingles of a check.
        List<String> shingles = request.command() == 0 ? null : hexadecimal(request.shingles());
        return verdict("pre", Arrays.asList(bytes(request.client()), request.command(), request.digest(),
                request.hasShingles(), extensions(request.extensions()), shingles, flag, value));
    }

    /**
     * Runs the handlers after a check, with or without a match.
     *
     * @param request request with the digest of the result
     * @param timestamp time at which the hash was added, seconds since 1970
     */
    public HookVerdict after(HookRequest request, long value, double probability, long flag, long timestamp) {
        if (!post) {
            return HookVerdict.CONTINUE;
        }
        return verdict("post",
                Arrays.asList(bytes(request.client()), request.command(), request.digest(), request.hasShingles(),
                        value,
                        probability, flag, timestamp, extensions(request.extensions()),
                        hexadecimal(request.shingles())));
    }

    /**
     * Reports a refused client. Errors are only logged and counted.
     *
     * @param reason {@code ratelimit}, {@code blacklisted} or {@code dynamic_blocked}
     * @param event {@code new}, {@code existing} or {@code blacklist}
     * @param digest digest of the request, if readable
     */
    public void refused(@Nullable InetAddress client, String reason, String event, @Nullable BlockInfo info,
            byte @Nullable [] digest, HookRequest.Extensions extensions) {
        if (!blacklist) {
            return;
        }
        Map<String, Object> told = new HashMap<>();
        told.put("domain", extensions.domain());
        told.put("source_ip", extensions.sourceIp() == null ? null : extensions.sourceIp().getHostAddress());
        try {
            script.call("blacklist", host, Arrays.asList(bytes(client), reason, event, table(info), digest, told));
        } catch (LuaException e) {
            log.log(ScriptLog.Level.ERROR, "blacklist handler: " + e.getMessage());
        }
    }

    private static @Nullable Map<String, Object> table(@Nullable BlockInfo info) {
        return info == null
                ? null
                : Map.of("bucket_level", info.level(), "is_permanent", info.permanent(), "max_burst",
                        info.maximumBurst(),
                        "max_rate", info.maximumRate(), "exceeded_by", info.exceededBy(), "last_seen", info.lastSeen());
    }

    private HookVerdict verdict(String kind, List<? extends @Nullable Object> arguments) {
        List<LuaValue> results;
        try {
            results = script.call(kind, host, arguments);
        } catch (LuaException e) {
            log.log(ScriptLog.Level.ERROR, kind + " handler: " + e.getMessage());
            return onError == OnError.REFUSE
                    ? new HookVerdict.Refuse(kind + " handler: " + e.getMessage())
                    : HookVerdict.CONTINUE;
        }
        if (results.isEmpty() || !results.getFirst().isTrue()) {
            return HookVerdict.CONTINUE;
        }
        double probability = number(results, 2);
        long value = (long) number(results, 1);
        OptionalLong flag = results.size() > 3 && results.get(3) instanceof LuaValue.Num(double number)
                ? OptionalLong.of((long) number)
                : OptionalLong.empty();
        return new HookVerdict.Answer(value, probability, flag);
    }

    private static double number(List<LuaValue> results, int index) {
        double number = index < results.size() && results.get(index) instanceof LuaValue.Num(double given) ? given : 0;
        return Double.isFinite(number) ? number : 0;
    }

    private static byte @Nullable [] bytes(@Nullable InetAddress address) {
        return address == null ? null : address.getAddress();
    }

    private static @Nullable List<String> hexadecimal(long @Nullable [] values) {
        if (values == null) {
            return null;
        }
        List<String> list = new ArrayList<>(values.length);
        for (long value : values) {
            list.add(HexFormat.of().toHexDigits(value));
        }
        return list;
    }

    private static Map<String, Object> extensions(HookRequest.Extensions extensions) {
        Map<String, Object> table = new HashMap<>();
        table.put("domain", extensions.domain());
        table.put("ip", bytes(extensions.sourceIp()));
        HookRequest.Sender sender = extensions.sender();
        if (sender != null) {
            Map<String, Object> told = new HashMap<>();
            told.put("spf", sender.spf());
            told.put("dkim", sender.dkim());
            told.put("dmarc", sender.dmarc());
            told.put("ptr", sender.ptr());
            told.put("ptr_generic", sender.ptrGeneric());
            told.put("tls", sender.tls());
            told.put("rcpts", sender.recipients());
            table.put("sender", told);
        }
        return table;
    }

    /** Returns the counts of all handler calls so far. */
    public LuaScript.Counters counters() {
        return script.counters();
    }

    @Override
    public void close() {
        script.close();
    }
}
