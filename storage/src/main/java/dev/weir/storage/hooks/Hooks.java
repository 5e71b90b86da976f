package dev.weir.storage.hooks;

import java.net.InetAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

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
 * The handlers of one script, fed with commands as the storage reads them. Thread-safe. Handlers before and after a
 * command run while the client waits; those that are told of refused clients run afterwards on a thread of their own,
 * and what is too much for it is dropped and counted.
 */
public final class Hooks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Hooks.class);
    /** Refusals that may wait for their handler. */
    private static final int WAITING = 1_024;

    private final StorageHooks handlers;
    private final LongAdder untold = new LongAdder();
    private final ThreadPoolExecutor telling = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING), Thread.ofPlatform().daemon().name("weir-refusals").factory(),
            (refusal, executor) -> untold.increment());
    /** Commands that are being asked about, and one while these handlers are in force. */
    private final AtomicInteger users = new AtomicInteger(1);

    private Hooks(StorageHooks handlers) {
        this.handlers = handlers;
    }

    /**
     * Loads a script.
     *
     * @param host what handlers may ask for
     * @throws StorageException with file, line and what is wrong; also if it has no handlers
     */
    public static Hooks load(HookScript script, HookHost host) throws StorageException {
        try {
            StorageHooks handlers = StorageHooks.load(script.source(), LuaLimits.handlers(), host, script.onError(),
                    Hooks::log);
            if (!handlers.hasPre() && !handlers.hasPost() && !handlers.hasBlacklist()) {
                handlers.close();
                throw new StorageException("the handlers cannot be used: " + script.source().name() + " has none");
            }
            return new Hooks(handlers);
        } catch (LuaException e) {
            throw new StorageException("the handlers cannot be used: " + e.getMessage(), e);
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

    /** What handlers say to a command before it is judged. */
    public HookVerdict before(Command command, Source source) {
        byte[] digest = new byte[Protocol.DIGEST];
        command.copyDigest(digest, 0);
        return handlers.before(request(command, source, digest), command.flag(), command.value());
    }

    /**
     * What handlers say to the result of a check.
     *
     * @param digest 64 bytes of the result
     * @param time seconds since the epoch of the last change of what was found, 0 for nothing
     */
    public HookVerdict after(Command command, Source source, byte[] digest, int value, float probability, int flag,
            long time) {
        HookRequest of = request(command, source, digest);
        return handlers.after(new HookRequest(of.client(), of.command(), digest.clone(), of.hasShingles(),
                of.extensions(), null), value, probability, flag, time);
    }

    /**
     * Tells of a client that was refused; returns at once.
     *
     * @param reason {@code ratelimit}, {@code blacklisted} or {@code dynamic_blocked}
     * @param event {@code new}, {@code existing} or {@code blacklist}
     * @param command what was asked, or null if it was not even read
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
        HookRequest.Extensions told = extensions;
        telling.execute(() -> handlers.refused(client, reason, event, info, digest, told));
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

    /** Refusals of which no handler was told, because too many came at once. */
    public long untold() {
        return untold.sum();
    }

    /** Begins a use, during which nothing is closed; false if these handlers are not in force any more. */
    boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Ends what {@link #enter} began. The last one out closes. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            // What waits to be told is told: it may take a while, and the caller may be a receiving thread.
            Thread.ofPlatform().daemon().name("weir-handlers-end").start(this::end);
        }
    }

    private void end() {
        telling.close();
        handlers.close();
    }

    /** Ends the handlers once no command asks them any more. To be called once; returns at once. */
    @Override
    public void close() {
        leave();
    }
}
