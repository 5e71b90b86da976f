package dev.weir.http.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.weir.http.access.AccessRules;
import dev.weir.http.controller.Actions;
import dev.weir.http.server.ServerLimits;
import dev.weir.wire.key.KeyPair;

/**
 * The settings of an HTTP service.
 *
 * @param binds the addresses to listen on
 * @param access the rules of access
 * @param keyPairs the key pairs for encrypted requests; if empty, encryption is off
 * @param limits limits of requests and connections
 * @param actions score thresholds
 * @param wordSamples how long the first words of mails are kept; zero for never
 * @param tls the certificate for addresses with TLS; empty if there are none
 */
public record HttpSettings(List<SocketAddress> binds, AccessRules access, List<KeyPair> keyPairs, ServerLimits limits,
        Actions actions, Duration wordSamples, Optional<TlsSettings> tls) {
    /** The port of Rspamd's controller. */
    public static final int DEFAULT_PORT = 11_334;
    /** The address if the configuration names none. */
    static final InetSocketAddress LOCAL = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), DEFAULT_PORT);

    /** Copies the lists. */
    public HttpSettings {
        binds = List.copyOf(binds);
        keyPairs = List.copyOf(keyPairs);
    }

    /** Creates settings without TLS. */
    public HttpSettings(List<SocketAddress> binds, AccessRules access, List<KeyPair> keyPairs, ServerLimits limits,
            Actions actions, Duration wordSamples) {
        this(binds, access, keyPairs, limits, actions, wordSamples, Optional.empty());
    }

    /** Listens on 127.0.0.1:11334: local users have full access; other machines cannot connect. */
    public static HttpSettings local(Actions actions) {
        return new HttpSettings(List.of(LOCAL), AccessRules.trusting(AccessRules.LOOPBACK), List.of(),
                ServerLimits.DEFAULT, actions, Duration.ZERO);
    }

    /**
     * Returns why these rules do not fit these addresses: they say for no other machine what it may do.
     *
     * @return a sentence without a subject, such as {@code has neither ... nor ...}
     */
    static Optional<String> openDoor(List<SocketAddress> binds, AccessRules access) {
        return access.isGuarded()
                ? Optional.empty()
                : BindText.openToOthers(binds)
                        .map(bind -> "has neither password, enable_password nor secure_ip and listens on " + bind
                                + ", which is open to more than this machine: say who may learn and forget");
    }

    /**
     * Requires rules that fit the addresses.
     *
     * @throws IllegalArgumentException with the result of {@link #openDoor}
     */
    public void requireGuard() {
        openDoor(binds, access).ifPresent(problem -> {
            throw new IllegalArgumentException("worker \"controller\" " + problem);
        });
    }

    /** Returns a copy with other addresses. */
    public HttpSettings withBinds(List<? extends SocketAddress> addresses) {
        return new HttpSettings(List.copyOf(addresses), access, keyPairs, limits, actions, wordSamples, tls);
    }
}
