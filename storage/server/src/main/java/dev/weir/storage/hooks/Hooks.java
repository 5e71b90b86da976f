package dev.weir.storage.hooks;

import java.net.InetAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.lua.LuaException;
import dev.weir.lua.LuaLimits;
import dev.weir.lua.ScriptLog;
import dev.weir.lua.hooks.BlockInfo;
import dev.weir.lua.hooks.HookHost;
import dev.weir.lua.hooks.HookRequest;
import dev.weir.lua.hooks.HookVerdict;
import dev.weir.lua.hooks.StorageHooks;
import dev.weir.model.AddressBits;
import dev.weir.storage.StorageException;
import dev.weir.storage.access.gate.Source;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.Command;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handlers of one script, which run for commands as the storage reads them. Thread-safe. Handlers before and after
 * a command run while the client waits. Handlers for refused clients run later on a separate thread; if it falls
 * behind, notifications are dropped and counted.
 */
public final class Hooks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hooks.class);
    /** The most refusals that may wait for their handler. */
    static final int WAITING = 1_024;

    private final StorageHooks handlers;
    private final ThreadPoolExecutor notifier;
    /** The number of commands that use the handlers, plus one while the handlers are in force. */
    private final AtomicInteger users = new AtomicInteger(1);

    private Hooks(StorageHooks handlers, Runnable dropped) {
        this.handlers = handlers;
        this.notifier = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING),
                Thread.ofPlatform().daemon().name("weir-refusals").factory(), (refusal, executor) -> dropped.run());
    }

    /**
     * Loads a script.
     *
     * @param host the functions that handlers may call
     * @param dropped runs for each notification that is dropped
     * @throws StorageException if the script has an error or defines no handlers; the message contains file and line
     */
    public static Hooks load(HookScript script, HookHost host, Runnable dropped) throws StorageException {
        try {
            StorageHooks handlers = StorageHooks.load(script.source(), LuaLimits.handlers(), host, script.onError(),
                    Hooks::log);
            if (!handlers.hasPre() && !handlers.hasPost() && !handlers.hasBlacklist()) {
                handlers.close();
                throw new StorageException("cannot load the handlers: " + script.source().name() + " defines none");
            }
            return new Hooks(handlers, dropped);
        } catch (LuaException e) {
            throw new StorageException("cannot load the handlers: " + e.getMessage(), e);
        }
    }

    private static void log(ScriptLog.Level level, String message) {
        switch (level) {
            case DEBUG -> LOG.debug("{}", message);
            case INFO, MESSAGE -> LOG.info("{}", message);
            case WARNING -> LOG.warn("{}", message);
            case ERROR -> LOG.error("{}", message);
        }
    }

    /** Returns whether there is a handler to run before commands. */
    public boolean hasPre() {
        return handlers.hasPre();
    }

    /** Returns whether there is a handler to run after checks. */
    public boolean hasPost() {
        return handlers.hasPost();
    }

    /** Runs the handlers for a command before the access rules are applied. */
    public HookVerdict before(Command command, Source source) {
        byte[] digest = new byte[Protocol.DIGEST];
        command.copyDigest(digest, 0);
        return handlers.before(request(command, source, digest), command.flag(), command.value());
    }

    /**
     * Runs the handlers for the result of a check.
     *
     * @param digest the 64-byte digest of the result
     * @param time when the hash that was found last changed, in seconds since the epoch; 0 if none was found
     */
    public HookVerdict after(Command command, Source source, byte[] digest, int value, float probability, int flag,
            long time) {
        HookRequest of = request(command, source, digest);
        return handlers.after(new HookRequest(of.client(), of.command(), digest.clone(), of.hasShingles(),
                of.extensions(), null), value, probability, flag, time);
    }

    /**
     * Notifies the handlers of a refused client. Does not wait for them.
     *
     * @param reason {@code ratelimit}, {@code blacklisted} or {@code dynamic_blocked}
     * @param event {@code new}, {@code existing} or {@code blacklist}
     * @param command the command, or null if it was refused unread
     */
    public void refused(Source source, String reason, String event, @Nullable BlockInfo info,
            @Nullable Command command) {
        if (!handlers.hasBlacklist()) {
            return;
        }
        InetAddress client = client(source);
        byte[] digest = command == null ? null : new byte[Protocol.DIGEST];
        HookRequest.Extensions extensions = HookRequest.Extensions.NONE;
        if (command != null && digest != null) {
            command.copyDigest(digest, 0);
            extensions = SenderFacts.of(command.extensions());
        }
        HookRequest.Extensions facts = extensions;
        notifier.execute(() -> handlers.refused(client, reason, event, info, digest, facts));
    }

    private static HookRequest request(Command command, Source source, byte[] digest) {
        long[] shingles = null;
        if (command.hasShingles()) {
            shingles = new long[Protocol.SHINGLES];
            command.copyShingles(shingles, 0);
        }
        return new HookRequest(client(source), command.code(), digest, command.hasShingles(),
                SenderFacts.of(command.extensions()), shingles);
    }

    private static @Nullable InetAddress client(Source source) {
        return source.isUnixSocket() ? null : AddressBits.address(source.high(), source.low());
    }

    /** Begins a use, which keeps the handlers open. Returns false if they are no longer in force. */
    boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Ends a use that {@link #enter} began. The end of the last use closes the handlers. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            // Pending notifications are still delivered. That may take a while, and the caller may be a receiving
            // thread.
            Thread.ofPlatform().daemon().name("weir-handlers-end").start(this::end);
        }
    }

    private void end() {
        notifier.close();
        handlers.close();
    }

    /** Closes the handlers once no command uses them. Call it once; it does not block. */
    @Override
    public void close() {
        leave();
    }
}
