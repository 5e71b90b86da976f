package dev.weir.http.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import dev.weir.http.message.HttpHead;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of browsers. A session stands for a password that was given once; its cookie is out of reach for scripts
 * and for other sites. A request that changes something must also carry the token of the session in a header, which a
 * page of another site can neither read nor send. Thread-safe.
 */
public final class Sessions {
    /** The name of the cookie. */
    public static final String COOKIE = "weir-session";
    /** The header with the token. */
    public static final String TOKEN = "X-Weir-Token";
    /** A session ends after this time in any case. */
    public static final Duration LONGEST = Duration.ofHours(12);

    private static final int MOST = 1_000;
    private static final int BYTES = 32;

    private final SecureRandom random;
    private final LongSupplier nanoTime;
    private Duration idle;
    private final Map<String, Session> sessions = new LinkedHashMap<>();

    /**
     * Creates it without sessions.
     *
     * @param idle the time without a request after which a session ends
     */
    Sessions(SecureRandom random, LongSupplier nanoTime, Duration idle) {
        this.random = random;
        this.nanoTime = nanoTime;
        this.idle = idle;
    }

    /** Sets the time without a request after which a session ends, also for sessions that have begun. */
    synchronized void idle(Duration time) {
        idle = time;
    }

    /**
     * A session.
     *
     * @param id the secret in the cookie
     * @param token the secret in the header of changes
     * @param granted the permission of the password; null if no password was given, so that the session permits nothing
     * @param credential the option whose password was given
     */
    public record Session(String id, String token, @Nullable AccessDecision granted, String credential, long begun,
            long used) {
        private Session usedAt(long now) {
            return new Session(id, token, granted, credential, begun, now);
        }
    }

    /**
     * Begins a session. The oldest one of {@value #MOST} ends. Those that permit nothing end first: anyone may begin
     * them, and they must not end those of the administrators.
     */
    synchronized Session begin(@Nullable AccessDecision granted, String credential) {
        long now = nanoTime.getAsLong();
        sessions.values().removeIf(session -> isOver(session, now));
        if (sessions.size() >= MOST) {
            Session ended = sessions.values().stream().filter(session -> session.granted() == null).findFirst()
                    .orElseGet(() -> sessions.values().iterator().next());
            sessions.remove(ended.id());
        }
        Session session = new Session(secret(), secret(), granted, credential, now, now);
        sessions.put(session.id(), session);
        return session;
    }

    private String secret() {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private boolean isOver(Session session, long now) {
        return now - session.used() > idle.toNanos() || now - session.begun() > LONGEST.toNanos();
    }

    /** Returns the session of a request. Only the real headers count. */
    synchronized Optional<Session> of(HttpHead head) {
        Optional<String> id = cookie(head);
        if (id.isEmpty()) {
            return Optional.empty();
        }
        long now = nanoTime.getAsLong();
        Session session = sessions.get(id.get());
        if (session == null || isOver(session, now)) {
            sessions.remove(id.get());
            return Optional.empty();
        }
        Session used = session.usedAt(now);
        sessions.put(used.id(), used);
        return Optional.of(used);
    }

    /** Ends the session of a request. */
    synchronized void end(HttpHead head) {
        cookie(head).ifPresent(sessions::remove);
    }

    /** Ends all sessions, because the passwords changed. */
    synchronized void clear() {
        sessions.clear();
    }

    /** Returns whether a request carries the token of its session. */
    static boolean hasToken(HttpHead head, Session session) {
        byte[] given = head.headers().first(TOKEN).orElse("").getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(given, session.token().getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> cookie(HttpHead head) {
        for (String line : head.headers().all("cookie")) {
            for (String pair : line.split(";", -1)) {
                String[] sides = pair.strip().split("=", 2);
                if (sides.length == 2 && sides[0].equals(COOKIE)) {
                    return Optional.of(sides[1]);
                }
            }
        }
        return Optional.empty();
    }
}
