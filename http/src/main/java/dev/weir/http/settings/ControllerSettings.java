package dev.weir.http.settings;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import dev.weir.config.Configuration;
import dev.weir.config.map.MapSource;
import dev.weir.config.map.NetworkList;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclDouble;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclNull;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclValue;
import dev.weir.http.access.AccessRules;
import dev.weir.http.access.StoredPassword;
import dev.weir.http.control.Actions;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.server.ServerLimits;
import dev.weir.model.Networks;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.settings.KeySettings;

/**
 * A reader of {@code worker "controller"} and {@code actions}. Every option of the table takes effect, or is refused or
 * ignored with a reason. All errors are reported, not only the first. Passwords never get into a message.
 */
public final class ControllerSettings {
    private static final String NAME = "worker \"controller\"";
    private static final OptionTable OPTIONS = OptionTable.shipped("worker-controller");
    private static final int MAX_FILE = 8 << 20;
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
        List<UclObject> workers = configuration.workers("controller");
        if (workers.isEmpty()) {
            return Optional.empty();
        }
        if (workers.size() > 1) {
            problems.error(workers.get(1).origin(), "a second " + NAME + ": one of them is enough, with several"
                    + " bind_socket");
            return Optional.empty();
        }
        Section section = Section.of(workers.getFirst(), NAME, OPTIONS, problems);
        Optional<HttpSettings> settings = new ControllerSettings(section, files, listening, problems).read();
        section.finish();
        return settings.map(read -> read.withActions(actions(configuration, problems)));
    }

    private Optional<HttpSettings> read() {
        section.string("type");
        boolean enabled = section.bool("enabled").orElse(true)
                && section.integer("count", -1, 1 << 16).orElse(1) > 0;
        List<String> texts = section.strings("bind_socket");
        AccessRules access = new AccessRules(password("password"), password("enable_password"), secure(), hosts(texts),
                (int) section.integer("max_auth_failures", 0, 1_000_000).orElse(AccessRules.MAX_FAILURES),
                section.seconds("auth_failure_window", Duration.ofMillis(1), Duration.ofDays(1)).orElseThrow());
        List<SocketAddress> binds = binds(texts);
        HttpSettings usual = HttpSettings.local().withAccess(access);
        HttpSettings settings = (binds.isEmpty() ? usual : usual.withBinds(binds))
                .withKeyPairs(new KeySettings(problems).read(section.sections("keypair", KeySettings.OPTIONS)).stream()
                        .map(ServerKey::pair).toList())
                .withLimits(limits());
        if (!enabled) {
            return Optional.empty();
        }
        settings.withBinds(listening.apply(settings.binds())).openDoor()
                .ifPresent(problem -> problems.error(section.origin(), NAME + " " + problem));
        return Optional.of(settings);
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

    private List<SocketAddress> binds(List<String> texts) {
        List<SocketAddress> binds = new ArrayList<>();
        for (String text : texts) {
            try {
                binds.addAll(BindText.parse(text));
            } catch (IllegalArgumentException e) {
                section.refuse("bind_socket", String.valueOf(e.getMessage()));
            }
        }
        return binds;
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

    /** Returns the trusted networks. If the option is present but names none, no address is trusted. */
    private Optional<Networks> secure() {
        if (!section.has("secure_ip")) {
            return Optional.empty();
        }
        Optional<MapSource> source = section.map("secure_ip");
        List<MapSource.Entry> entries = new ArrayList<>(source.map(MapSource::entries).orElse(List.of()));
        source.map(MapSource::files).orElse(List.of()).forEach(file -> lines(file, entries));
        NetworkList parsed = NetworkList.parse(entries, problems::add);
        if (parsed.hosts().isEmpty()) {
            return Optional.of(Networks.dualStack(parsed.networks()));
        }
        List<MapSource.Entry> resolved = new ArrayList<>();
        for (MapSource.Entry entry : entries) {
            if (!parsed.hosts().contains(entry)) {
                resolved.add(entry);
            }
        }
        parsed.hosts().forEach(host -> resolve(host, resolved));
        return Optional.of(Networks.dualStack(NetworkList.parse(resolved, _ -> {
            // Already reported the first time.
        }).networks()));
    }

    private void resolve(MapSource.Entry host, List<MapSource.Entry> target) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host.text())) {
                target.add(new MapSource.Entry(address.getHostAddress().replaceFirst("%.*", ""), host.origin()));
            }
        } catch (UnknownHostException e) {
            problems.error(host.origin(), "there is no address for the host name \"" + host.text() + "\"");
        }
    }

    private void lines(MapSource.Entry file, List<MapSource.Entry> target) {
        try {
            int number = 0;
            for (String line : new String(files.read(file.text(), MAX_FILE), StandardCharsets.UTF_8).split("\n", -1)) {
                number++;
                String entry = line.strip().split("[#\\s]", 2)[0];
                target.add(new MapSource.Entry(entry, new Origin(file.text(), number, 1)));
            }
        } catch (IOException e) {
            problems.error(file.origin(), file.text() + " cannot be read: " + e.getMessage());
        }
    }

    private ServerLimits limits() {
        ServerLimits usual = ServerLimits.DEFAULT;
        Duration timeout = section.seconds("timeout", Duration.ofSeconds(1), Duration.ofHours(1)).orElseThrow();
        int most = bound("max_connections", usual.connections());
        int ofOneAddress = Math.min(most, bound("max_connections_per_source", Math.max(1, most / 2)));
        int mail = (int) section.integer("max_message", 1024, 1 << 29).orElse(HttpLimits.DEFAULT.bodyBytes());
        return usual.withTimes(timeout, timeout).withConnections(most, ofOneAddress)
                .withRequest(HttpLimits.DEFAULT.withBodyBytes(mail));
    }

    /** Returns a number of connections. Rspamd treats 0 as unlimited; here it means the default. */
    private int bound(String option, int usual) {
        long given = section.integer(option, 0, 100_000).orElse(0);
        return given == 0 ? usual : (int) given;
    }

    /** Returns the thresholds of {@code actions}, or Rspamd's defaults if the section is absent. */
    private static Actions actions(Configuration configuration, Problems problems) {
        List<UclObject> sections = configuration.sections("actions");
        if (sections.isEmpty()) {
            return Actions.DEFAULT;
        }
        Map<String, Double> thresholds = new HashMap<>();
        for (UclObject actions : sections) {
            actions.members().forEach((key, values) -> {
                String name = key.replace('_', ' ');
                if (Actions.NAMES.contains(name)) {
                    threshold(values.getLast(), problems).ifPresent(score -> thresholds.put(name, score));
                }
            });
        }
        return Actions.of(thresholds);
    }

    private static Optional<Double> threshold(UclValue value, Problems problems) {
        return switch (value) {
            case UclInteger whole -> Optional.of((double) whole.value());
            case UclDouble real when Double.isFinite(real.value()) -> Optional.of(real.value());
            case UclNull _ -> Optional.empty();
            default -> {
                problems.error(value.origin(), "expected the score of an action, but found " + value.kind());
                yield Optional.empty();
            }
        };
    }
}
