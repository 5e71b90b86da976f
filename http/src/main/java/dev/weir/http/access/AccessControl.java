package dev.weir.http.access;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import dev.weir.http.message.HttpHeaders;
import dev.weir.http.server.Client;

/**
 * Decides about requests in the order of spec/http-api.md section 4: trusted source, throttle, password. Thread-safe.
 *
 * <p>Other than Rspamd in two places. A source that is trusted itself and forwards for somebody else is throttled by the
 * address that it forwards for, so that one proxy does not lock everybody out. A browser that sends a request for a page of
 * another site needs a password wherever it runs.
 */
public final class AccessControl {
    private static final int REMEMBERED_ADDRESSES = 8192;

    /** What Rspamd once shipped as passwords; never accepted. */
    private static final Set<String> SHIPPED = Set.of("q1", "q2");

    private final AccessRules rules;
    private final Optional<Passwords> read;
    private final Optional<Passwords> enable;
    private final Throttle throttle;
    private final SecureRandom random;
    /** Lets one slow hash be compared at a time. */
    private final Semaphore slow;
    private final LongAdder failures;
    private final LongAdder throttled;

    private AccessControl(AccessRules rules, SecureRandom random, Throttle throttle, Semaphore slow,
            LongAdder failures, LongAdder throttled) {
        this.rules = rules;
        this.random = random;
        this.slow = slow;
        this.read = rules.password().map(stored -> new Passwords(stored, random, slow));
        this.enable = rules.enablePassword().map(stored -> new Passwords(stored, random, slow));
        this.throttle = throttle;
        this.failures = failures;
        this.throttled = throttled;
    }

    /** The guard of some rules. */
    public AccessControl(AccessRules rules, SecureRandom random, LongSupplier nanoTime) {
        this(rules, random,
                new Throttle(rules.maxFailures(), seconds(rules), REMEMBERED_ADDRESSES, nanoTime),
                new Semaphore(1, true), new LongAdder(), new LongAdder());
    }

    /** The guard of other rules, which goes on counting and remembers who failed. */
    public AccessControl with(AccessRules others) {
        return new AccessControl(others, random, throttle.with(others.maxFailures(), seconds(others)), slow, failures,
                throttled);
    }

    private static double seconds(AccessRules rules) {
        return rules.window().toMillis() / 1000.0;
    }

    /** Requests that were refused for a missing or a wrong password. */
    public long failures() {
        return failures.sum();
    }

    /** Requests that were refused because of earlier failures. */
    public long throttled() {
        return throttled.sum();
    }

    /**
     * Decides.
     *
     * @param arguments headers and, behind them, the arguments of the query
     * @throws InterruptedException if the server stops while a password is compared
     */
    public Verdict decide(Access asked, HttpHeaders arguments, Client client) throws InterruptedException {
        if (asked == Access.OPEN) {
            return Verdict.FULL;
        }
        Optional<InetAddress> source = client.address();
        if (!isForeignPage(arguments) && (source.isEmpty() || rules.secure().contains(source.get()))) {
            Optional<String> forwarded = forwarded(arguments);
            if (forwarded.isEmpty()) {
                return Verdict.FULL;
            }
            Optional<InetAddress> origin = literal(forwarded.get());
            if (origin.isPresent() && rules.secure().contains(origin.get())) {
                return Verdict.FULL;
            }
            source = origin.or(client::address);
        }
        return byPassword(asked, arguments, source);
    }

    /** A page of another site, shown by a browser on a trusted machine, is not that machine. */
    private static boolean isForeignPage(HttpHeaders arguments) {
        Optional<String> origin = arguments.first("origin");
        return origin.isPresent() && !origin.get().replaceFirst("^https?://", "")
                .equalsIgnoreCase(arguments.first("host").orElse(""));
    }

    private Verdict byPassword(Access asked, HttpHeaders arguments, Optional<InetAddress> source)
            throws InterruptedException {
        if (source.isPresent() && throttle.refuses(source.get())) {
            throttled.increment();
            return Verdict.THROTTLED;
        }
        Verdict verdict = compare(asked, arguments.first("password"));
        if (verdict.isGranted()) {
            source.ifPresent(throttle::succeeded);
        } else {
            failures.increment();
            source.ifPresent(throttle::failed);
        }
        return verdict;
    }

    private Verdict compare(Access asked, Optional<String> given) throws InterruptedException {
        boolean guarded = rules.secure().size() > 0 || read.isPresent()
                || (asked == Access.PRIVILEGED && enable.isPresent());
        if (given.isEmpty()) {
            return guarded ? Verdict.UNAUTHORIZED : enable.isPresent() ? Verdict.READ_ONLY : Verdict.FULL;
        }
        if (SHIPPED.contains(given.get())) {
            return Verdict.UNAUTHORIZED;
        }
        if (!guarded && enable.isEmpty()) {
            // Nothing is asked for, so a password that was sent all the same cannot be wrong.
            return Verdict.FULL;
        }
        byte[] password = given.get().getBytes(StandardCharsets.UTF_8);
        if (enable.isPresent() && enable.get().matches(password)) {
            return Verdict.FULL;
        }
        boolean reads = read.isPresent() && read.get().matches(password);
        if (!reads || (asked == Access.PRIVILEGED && enable.isPresent())) {
            return Verdict.UNAUTHORIZED;
        }
        return enable.isPresent() ? Verdict.READ_ONLY : Verdict.FULL;
    }

    private static Optional<String> forwarded(HttpHeaders arguments) {
        return arguments.first("x-forwarded-for").map(list -> list.substring(list.lastIndexOf(',') + 1).strip())
                .or(() -> arguments.first("x-real-ip"));
    }

    private static Optional<InetAddress> literal(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
