package dev.weir.http.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import dev.weir.http.message.HttpHead;
import dev.weir.http.server.Client;
import org.jspecify.annotations.Nullable;

/**
 * The access check of requests, in the order of docs/reference/rspamd-http.md#access: trusted network, throttle,
 * password. It looks at the head of a request only. Thread-safe.
 *
 * <p>It differs from Rspamd in these points. {@link Sender} defines how it reads the headers of proxies, and it
 * throttles the clients of a proxy one by one. It refuses a browser that sends a request for a page of another site,
 * and a request without a password under an unknown host name. Only a success that grants everything clears the
 * failures of a client; otherwise, the lesser password would buy guesses of the greater one. A missing option never
 * opens anything: with {@code enable_password} alone, reading needs that password.
 */
public final class AccessControl {
    private static final int REMEMBERED_ADDRESSES = 8192;
    /** The maximum number of waiting guesses from one address if there is no throttle. */
    private static final int MOST_WAITING = 16;

    /** The passwords that Rspamd once shipped. They are never accepted. */
    private static final Set<String> SHIPPED = Set.of("q1", "q2");

    private final AccessRules rules;
    private final Credentials credentials;
    private final FailureCounts counts;
    private final SecureRandom random;
    private final Shared shared;

    /** The state that survives a change of the rules. */
    private record Shared(Guesses guesses, FailureLog log, LongAdder failures, LongAdder throttled, LongAdder busy,
            LongAdder pages, LongAdder repeated, SealedChanges sealed, HostLog hosts, Sessions sessions) {}

    private AccessControl(AccessRules rules, Credentials credentials, SecureRandom random, FailureCounts counts,
            Shared shared) {
        this.rules = rules;
        this.credentials = credentials;
        this.random = random;
        this.counts = counts;
        this.shared = shared;
    }

    /** Creates the access check for rules. */
    public AccessControl(AccessRules rules, SecureRandom random, LongSupplier nanoTime) {
        this(rules, new Credentials(rules.password(), rules.enablePassword(), random), random,
                FailureCounts.of(() -> new Throttle(rules.maxFailures(), seconds(rules), REMEMBERED_ADDRESSES,
                        nanoTime)),
                new Shared(new Guesses(Guesses.PATIENCE), new FailureLog(nanoTime), new LongAdder(), new LongAdder(),
                        new LongAdder(), new LongAdder(), new LongAdder(), new SealedChanges(),
                        new HostLog(nanoTime), new Sessions(random, nanoTime, rules.idle())));
    }

    /** Returns an access check for other rules that shares counters and recorded failures with this one. */
    public AccessControl with(AccessRules others) {
        if (!credentials.areOf(others)) {
            shared.sessions().clear();
        }
        shared.sessions().idle(others.idle());
        return new AccessControl(others,
                credentials.areOf(others)
                        ? credentials
                        : new Credentials(others.password(), others.enablePassword(), random),
                random, counts.with(others.maxFailures(), seconds(others)), shared);
    }

    private static double seconds(AccessRules rules) {
        return rules.window().toMillis() / 1000.0;
    }

    /** Returns the number of requests refused because of a missing or wrong password. */
    public long failures() {
        return shared.failures().sum();
    }

    /** Returns the number of requests refused because of earlier failures. */
    public long throttled() {
        return shared.throttled().sum();
    }

    /** Returns the number of requests refused because too many passwords were being compared. */
    public long busy() {
        return shared.busy().sum();
    }

    /** Returns the number of requests refused because pages of other sites may have sent them. */
    public long pages() {
        return shared.pages().sum();
    }

    /** Returns the number of encrypted changes refused because they are copies of earlier ones. */
    public long repeated() {
        return shared.repeated().sum();
    }

    /** Counts a request that was refused because of {@link CrossSiteCheck#mayChange}. */
    public void countPage() {
        shared.pages().increment();
    }

    /** The standing of the sender of an encrypted request before the request is opened. */
    public enum Standing {
        /** No password is needed. */
        TRUSTED,
        /** The request may contain a password. */
        STRANGER,
        /** The request is refused whatever it contains. */
        THROTTLED
    }

    /** Returns the standing of a sender, from the head of an encrypted request. Counts a refusal. */
    public Standing standing(HttpHead head, Client client) {
        Sender sender = Sender.of(head, client, rules);
        if (sender.trusted()) {
            return Standing.TRUSTED;
        }
        if (counts.of(false).refuses(ClientNetwork.of(sender.counted()))) {
            shared.throttled().increment();
            return Standing.THROTTLED;
        }
        return Standing.STRANGER;
    }

    /**
     * Decides on a request.
     *
     * @throws InterruptedException if the server stops while a password is compared
     */
    public AccessDecision decide(AccessLevel asked, HttpHead head, Client client) throws InterruptedException {
        if (asked == AccessLevel.OPEN) {
            return AccessDecision.FULL;
        }
        AccessDecision decision = guarded(asked, head, client);
        if (asked == AccessLevel.PRIVILEGED && decision.isGranted() && head.seal().isPresent()
                && !shared.sealed().add(head.seal().get())) {
            shared.repeated().increment();
            return AccessDecision.REPEATED;
        }
        return decision;
    }

    private AccessDecision guarded(AccessLevel asked, HttpHead head, Client client) throws InterruptedException {
        if (CrossSiteCheck.isForeign(head)) {
            shared.pages().increment();
            return AccessDecision.FOREIGN_PAGE;
        }
        Optional<Sessions.Session> session = shared.sessions().of(head);
        if (session.isPresent() && session.get().granted() != null) {
            return bySession(asked, head, session.get(), session.get().granted());
        }
        if (asked == AccessLevel.PRIVILEGED && CrossSiteCheck.isBrowser(head)
                && !head.arguments().has("password")
                && !session.map(known -> Sessions.hasToken(head, known)).orElse(false)) {
            shared.pages().increment();
            return AccessDecision.NO_TOKEN;
        }
        Sender sender = Sender.of(head, client, rules);
        Optional<String> password = head.arguments().first("password");
        Optional<AccessDecision> open = withoutPassword(sender);
        if (open.isEmpty() && password.isEmpty() && asked == AccessLevel.READ && client.isCertified()
                && !Sender.isForwarded(head, rules)) {
            return AccessDecision.READ_ONLY;
        }
        if (open.isEmpty()) {
            return byPassword(asked, password, sender, client, head);
        }
        if (isForKnownHost(head, sender, client)) {
            return open.get();
        }
        if (password.isPresent() && rules.isGuarded()) {
            return byPassword(asked, password, sender, client, head);
        }
        shared.pages().increment();
        shared.hosts().refused(head, sender.description(client));
        return AccessDecision.UNKNOWN_HOST;
    }

    /**
     * Returns whether a browser cannot have been led here by a foreign name. No browser opens a Unix-domain socket, so
     * the name matters there only behind a proxy.
     */
    private boolean isForKnownHost(HttpHead head, Sender sender, Client client) {
        boolean direct = client.address().isEmpty() && !sender.forwarded() && !CrossSiteCheck.isBrowser(head);
        return direct || CrossSiteCheck.isForKnownHost(head, rules.hosts());
    }

    private AccessDecision bySession(AccessLevel asked, HttpHead head, Sessions.Session session,
            AccessDecision granted) {
        if (asked != AccessLevel.PRIVILEGED) {
            return granted;
        }
        if (granted != AccessDecision.FULL) {
            return AccessDecision.NOT_ENOUGH;
        }
        if (!Sessions.hasToken(head, session)) {
            shared.pages().increment();
            return AccessDecision.NO_TOKEN;
        }
        return granted;
    }

    /** Returns what a request may do without a further password. Asking is no failed login. */
    public AccessDecision withoutPassword(HttpHead head, Client client) {
        if (CrossSiteCheck.isForeign(head)) {
            return AccessDecision.FOREIGN_PAGE;
        }
        Optional<Sessions.Session> session = shared.sessions().of(head);
        if (session.isPresent() && session.get().granted() != null) {
            return session.get().granted();
        }
        Sender sender = Sender.of(head, client, rules);
        return withoutPassword(sender).filter(_ -> isForKnownHost(head, sender, client))
                .orElse(AccessDecision.UNAUTHORIZED);
    }

    /** Returns the session of a request. */
    public Optional<Sessions.Session> session(HttpHead head) {
        return shared.sessions().of(head);
    }

    /**
     * Begins a session.
     *
     * @param granted the permission of the password that was given; null without one
     */
    public Sessions.Session begin(@Nullable AccessDecision granted, String credential) {
        return shared.sessions().begin(granted, credential);
    }

    /** Ends the session of a request. */
    public void end(HttpHead head) {
        shared.sessions().end(head);
    }

    /** Returns the author of a request that may change something and that {@link #decide} granted. */
    public Requester requester(HttpHead head, Client client) {
        Sender sender = Sender.of(head, client, rules);
        Optional<Sessions.Session> session = shared.sessions().of(head);
        if (session.isPresent() && session.get().granted() != null) {
            return new Requester(sender.counted().toString(), session.get().credential());
        }
        String credential = !rules.isGuarded()
                ? "no password"
                : sender.trusted() ? "secure_ip" : rules.enablePassword().isPresent() ? "enable_password" : "password";
        return new Requester(sender.counted().toString(), credential);
    }

    /** Returns the decision if it does not depend on a password; empty otherwise. */
    private static Optional<AccessDecision> withoutPassword(Sender sender) {
        // If no password is needed, a password that was sent anyway cannot be wrong.
        return sender.trusted() ? Optional.of(AccessDecision.FULL) : Optional.empty();
    }

    private AccessDecision byPassword(AccessLevel asked, Optional<String> given, Sender sender, Client client,
            HttpHead head) throws InterruptedException {
        boolean byPage = CrossSiteCheck.mayBeOfPage(head);
        Throttle throttle = counts.of(byPage);
        ClientNetwork network = ClientNetwork.of(sender.counted());
        byte[] password = given.orElse("").getBytes(StandardCharsets.UTF_8);
        Optional<AccessDecision> quick;
        // Lookup, comparison and count are one step. Otherwise guesses sent at once would all be looked up before one
        // of them counts.
        synchronized (counts) {
            if (throttle.refuses(network)) {
                shared.throttled().increment();
                return AccessDecision.THROTTLED;
            }
            quick = given.isEmpty() || SHIPPED.contains(given.get())
                    ? Optional.of(AccessDecision.UNAUTHORIZED)
                    : credentials.glance(asked, password);
            quick.ifPresent(decision -> count(decision, given.isPresent(), sender, network, client, byPage));
        }
        AccessDecision decision = quick.isPresent()
                ? quick.get()
                : slowly(asked, password, sender, network, client, byPage);
        switch (decision) {
            case UNAUTHORIZED -> shared.failures().increment();
            case THROTTLED -> shared.throttled().increment();
            case BUSY -> shared.busy().increment();
            default -> {
                // Granted.
            }
        }
        return decision;
    }

    private AccessDecision slowly(AccessLevel asked, byte[] password, Sender sender, ClientNetwork network,
            Client client, boolean byPage) throws InterruptedException {
        Throttle throttle = counts.of(byPage);
        Guesses.Guess guess = new Guesses.Guess(network, asked, ByteBuffer.wrap(credentials.print(password)));
        int most = Math.min(throttle.left(network), MOST_WAITING);
        return shared.guesses().compare(guess, most, () -> {
            // Meanwhile, other clients of the same network may have failed, or the password may have become known.
            if (throttle.refuses(network)) {
                return AccessDecision.THROTTLED;
            }
            AccessDecision decision = credentials.glance(asked, password)
                    .orElseGet(() -> credentials.compare(asked, password));
            count(decision, true, sender, network, client, byPage);
            return decision;
        });
    }

    private void count(AccessDecision decision, boolean given, Sender sender, ClientNetwork network, Client client,
            boolean byPage) {
        if (decision == AccessDecision.FULL) {
            counts.succeeded(network);
        } else if (decision == AccessDecision.UNAUTHORIZED) {
            String from = sender.description(client);
            shared.log().failed(from, given ? "wrong password" : "no password");
            if (counts.failed(network, byPage)) {
                shared.log().refused(from);
            }
        }
    }
}
