package dev.weir.http.settings;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import dev.weir.config.Configuration;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.SourceFiles;
import dev.weir.http.access.AccessRules;
import dev.weir.http.access.Sessions;
import dev.weir.http.access.StoredPassword;
import dev.weir.http.controller.Actions;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.server.ServerLimits;
import dev.weir.http.server.TlsAddress;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.hits.WordSamples;
import dev.weir.storage.settings.KeySettings;
import dev.weir.wire.key.KeyPair;

/**
 * A reader of {@code worker "controller"} and {@code actions}. Every option of the table takes effect, or is refused or
 * ignored with a reason. All errors are reported, not only the first. Passwords never get into a message.
 */
public final class ControllerSettings {
    private static final String NAME = "worker \"controller\"";
    private static final OptionTable OPTIONS = OptionTable.shipped("worker-controller");
    private static final Duration LONGEST_HSTS = Duration.ofDays(3650);
    private static final String NO_CERTIFICATE = "expected ssl_cert and ssl_key for an address with TLS";
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?");

    private final Section section;
    private final SourceFiles files;
    private final UnaryOperator<List<SocketAddress>> listening;
    private final Problems problems;

    private ControllerSettings(Section section, SourceFiles files, UnaryOperator<List<SocketAddress>> listening,
            Problems problems) {
        this.section = section;
        this.files = files;
        this.listening = listening;
        this.problems = problems;
    }

    /**
     * Reads the HTTP settings of a configuration.
     *
     * @param files the files that lists may name
     * @param listening maps the addresses of the configuration to those that its rules must fit: the same, or others if
     *            the service listens elsewhere
     * @param problems receives all errors and warnings; after an error, do not use the result
     * @return empty if there is no {@code worker "controller"} or it is disabled
     */
    public static Optional<HttpSettings> read(Configuration configuration, SourceFiles files,
            UnaryOperator<List<SocketAddress>> listening, Problems problems) {
        return configuration.worker("controller", OPTIONS, problems).flatMap(section -> {
            ControllerSettings reader = new ControllerSettings(section, files, listening, problems);
            return reader.read(() -> ActionSettings.read(configuration, problems));
        });
    }

    /** @param actions reads the thresholds, after the section so that its problems come first */
    private Optional<HttpSettings> read(Supplier<Actions> actions) {
        boolean runs = Configuration.runs(section);
        List<String> texts = section.strings("bind_socket");
        AccessRules access = new AccessRules(password("password"), password("enable_password"),
                NetworkOption.read(section, "secure_ip", files, problems), hosts(texts),
                (int) section.integer("max_auth_failures", 0, 1_000_000).orElse(AccessRules.MAX_FAILURES),
                section.seconds("auth_failure_window", Duration.ofMillis(1), Duration.ofDays(1)).orElseThrow(),
                section.seconds("session_idle", Duration.ofSeconds(1), Sessions.LONGEST).orElseThrow());
        Optional<TlsSettings> tls = tls();
        List<SocketAddress> binds = binds(texts, tls.isPresent());
        List<KeyPair> pairs = new KeySettings(problems).read(section.sections("keypair", KeySettings.OPTIONS)).stream()
                .map(ServerKey::pair).toList();
        ServerLimits limits = limits();
        Duration wordSamples = section.seconds("word_samples", Duration.ZERO, WordSamples.LONGEST_LIFE)
                .orElse(Duration.ZERO);
        if (runs) {
            HttpSettings.openDoor(listening.apply(binds), access)
                    .ifPresent(problem -> problems.error(section.origin(), NAME + " " + problem));
        }
        section.finish();
        return runs
                ? Optional.of(new HttpSettings(binds, access, pairs, limits, actions.get(), wordSamples, tls))
                : Optional.empty();
    }

    /** Returns the host names of this server: the configured ones, and those that it listens on. */
    private Set<String> hosts(List<String> binds) {
        Set<String> hosts = new HashSet<>();
        for (String name : section.strings("allowed_hosts")) {
            if (HOST.matcher(name).matches()) {
                hosts.add(name.toLowerCase(Locale.ROOT));
            } else {
                section.refuse("allowed_hosts", "expected a host name without a port, but found \"" + name + "\"");
            }
        }
        binds.stream().map(BindText::host).flatMap(Optional::stream)
                .map(name -> name.toLowerCase(Locale.ROOT)).forEach(hosts::add);
        return hosts;
    }

    /** Returns the settings of TLS if there is a certificate. */
    private Optional<TlsSettings> tls() {
        Optional<String> clients = section.string("ssl_client_ca");
        Duration hsts = section.seconds("hsts", Duration.ZERO, LONGEST_HSTS).orElse(Duration.ZERO);
        if (clients.isPresent() && !section.has("ssl_cert") && !section.has("ssl_key")) {
            section.refuse("ssl_client_ca", "expected ssl_cert and ssl_key beside it");
        }
        return TlsOptions.read(section, clients).map(files -> new TlsSettings(files, hsts));
    }

    private List<SocketAddress> binds(List<String> texts, boolean certificate) {
        boolean all = section.bool("ssl").orElse(false);
        if (all && !certificate) {
            section.refuse("ssl", NO_CERTIFICATE);
        }
        List<SocketAddress> binds = new ArrayList<>();
        for (String text : texts) {
            try {
                List<SocketAddress> parsed = BindText.parse(all ? BindText.withTls(text) : text);
                if (BindText.isTls(text) && !certificate) {
                    section.refuse("bind_socket", NO_CERTIFICATE);
                }
                binds.addAll(parsed);
            } catch (IllegalArgumentException e) {
                section.refuse("bind_socket", String.valueOf(e.getMessage()));
            }
        }
        return binds.isEmpty() ? List.of(all ? new TlsAddress(HttpSettings.LOCAL) : HttpSettings.LOCAL) : binds;
    }

    private Optional<StoredPassword> password(String option) {
        Optional<String> text = section.string(option);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        StoredPassword password = StoredPassword.parse(text.get());
        String where = "\"" + option + "\" of " + NAME;
        if (text.get().isEmpty()) {
            problems.error(section.originOf(option), where + " is empty; leave it out, or make one with weir pw");
        } else if (password.isDamaged()) {
            problems.error(section.originOf(option),
                    where + " is a damaged hash, which no password fits; make a new one"
                            + " with weir pw");
        } else if (text.get().equals("q1") || text.get().equals("q2")) {
            problems.warning(section.originOf(option), where + " is the one that Rspamd once shipped: it is never"
                    + " accepted");
        } else if (password.isPlain()) {
            problems.warning(section.originOf(option), where + " is not hashed: make a hash with weir pw");
        }
        return Optional.of(password);
    }

    private ServerLimits limits() {
        Duration timeout = section.seconds("timeout", Duration.ofSeconds(1), Duration.ofHours(1)).orElseThrow();
        int most = bound("max_connections", ServerLimits.DEFAULT.connections());
        int ofOneAddress = Math.min(most, bound("max_connections_per_source", Math.max(1, most / 2)));
        int mail = (int) section.integer("max_message", 1024, 1 << 29).orElse(HttpLimits.DEFAULT.bodyBytes());
        return new ServerLimits(new HttpLimits(HttpLimits.DEFAULT.headBytes(), HttpLimits.DEFAULT.headers(), mail),
                most,
                ofOneAddress, timeout, timeout, timeout);
    }

    /** Returns a number of connections. Rspamd treats 0 as unlimited; here it means the default. */
    private int bound(String option, int usual) {
        long given = section.integer(option, 0, 100_000).orElse(0);
        return given == 0 ? usual : (int) given;
    }
}
