package dev.weir.storage.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;
import dev.weir.storage.shared.RedisAddress;
import dev.weir.storage.shared.SharedLayout;
import dev.weir.storage.shared.SharedSettings;
import org.jspecify.annotations.Nullable;

/**
 * Reads the options of {@code backend = "redis"}. An option that {@code worker "fuzzy"} lacks is looked for in {@code
 * redis {}}, as in Rspamd.
 */
final class RedisSettings {
    private static final List<String> OPTIONS = List.of("servers", "read_servers", "write_servers", "db", "username",
            "password", "timeout", "prefix", "sentinels", "sentinel_master_name", "sentinel_password", "ssl",
            "no_ssl_verify", "ssl_ca", "ssl_cert", "ssl_key", "redis_layout", "redis_cluster", "redis_shards",
            "redis_history", "redis_reconcile", "redis_ask_on_miss",
            "redis_replicas", "redis_fsync", "redis_ack_timeout");

    /** Options without a use unless clients wait for Redis. */
    private static final List<String> CONFIRMING = List.of("redis_replicas", "redis_fsync", "redis_ack_timeout");

    /** Rspamd may have the way to choose a server before the servers, and a weight behind each. */
    private static final Pattern POLICY = Pattern.compile("^(master-slave|round-robin|hash|random|sequential):");
    private static final Pattern WEIGHTED = Pattern.compile("([^:\\[\\]]+:[0-9]+):[0-9]+");

    private static final int MOST_DATABASES = 1 << 20;
    private static final int MOST_HISTORY = 10_000_000;
    private static final int MOST_REPLICAS = 100;

    private final Section worker;
    private final Optional<Section> common;
    private final Problems problems;

    RedisSettings(Section worker, Optional<Section> common, Problems problems) {
        this.worker = worker;
        this.common = common;
        this.problems = problems;
    }

    /** Warns of options that have no effect with another backend. */
    void ignore() {
        for (String name : OPTIONS) {
            worker.raw(name);
            // The option "database" is the file of the hashes here, and another name of "db" with Redis.
            boolean isFile = name.equals("db") && !worker.keys().contains("db") && !worker.keys().contains("dbname");
            if (worker.has(name) && !isFile) {
                problems.warning(worker.originOf(name), "\"" + name + "\" of " + worker.path()
                        + " has no effect without backend = \"redis\"");
            }
        }
    }

    /** Returns the section that has an option; that of the worker if none has. */
    private Section of(String name) {
        worker.raw(name);
        return worker.has(name) ? worker : common.filter(section -> section.has(name)).orElse(worker);
    }

    private boolean is(String name) {
        return of(name).bool(name).orElse(false);
    }

    private String text(String name) {
        return of(name).string(name).orElse("");
    }

    /**
     * Returns the settings; empty if an error was reported.
     *
     * @param confirmed whether updates are acknowledged only when Redis has them
     */
    Optional<SharedSettings> read(boolean confirmed) {
        boolean cluster = is("redis_cluster");
        SharedLayout layout = worker.choice("redis_layout", List.of("rspamd", "weir")).orElse("rspamd").equals("weir")
                ? SharedLayout.WEIR
                : SharedLayout.RSPAMD;
        int shards = (int) worker.integer("redis_shards", 1, SharedSettings.MAX_SHARDS)
                .orElse(SharedSettings.SHARDS);
        if (cluster && layout == SharedLayout.RSPAMD) {
            worker.refuse("redis_cluster", "Rspamd's keys do not work in a Cluster: write redis_layout = \"weir\"");
            return Optional.empty();
        }
        List<RedisAddress> writers = addresses("write_servers", RedisAddress.PORT);
        List<RedisAddress> all = addresses("servers", RedisAddress.PORT);
        List<RedisAddress> readers = addresses("read_servers", RedisAddress.PORT);
        List<RedisAddress> sentinels = addresses("sentinels", RedisAddress.SENTINEL_PORT);
        String master = text("sentinel_master_name");
        List<RedisAddress> servers = !sentinels.isEmpty() ? sentinels : writers.isEmpty() ? all : writers;
        if (servers.isEmpty()) {
            worker.refuse("backend", readers.isEmpty()
                    ? "\"redis\" needs servers = \"HOST\", here or in redis {}, or sentinels"
                    : "there are only read_servers; name servers or write_servers, too");
            return Optional.empty();
        }
        SharedSettings.Mode mode = cluster
                ? SharedSettings.Mode.CLUSTER
                : sentinels.isEmpty() ? SharedSettings.Mode.STANDALONE : SharedSettings.Mode.SENTINEL;
        if (mode != SharedSettings.Mode.STANDALONE && servers.stream().anyMatch(RedisAddress::isSocket)) {
            String named = cluster ? "servers" : "sentinels";
            of(named).refuse(named, "a socket leads to one server of this machine: name hosts of "
                    + (cluster ? "the Cluster" : "Sentinels"));
            return Optional.empty();
        }
        int database = database();
        if (cluster && database != 0) {
            of("db").refuse("db", "a Cluster has only the database 0");
        }
        return Optional.of(new SharedSettings(mode, servers, readers,
                mode == SharedSettings.Mode.SENTINEL ? master : "",
                new SharedSettings.Login(text("username"), text("password"), text("sentinel_password")), tls(),
                database, of("prefix").string("prefix").orElse(SharedSettings.PREFIX), layout,
                layout == SharedLayout.RSPAMD ? 1 : shards,
                of("timeout").seconds("timeout", Duration.ofMillis(1), Duration.ofMinutes(10))
                        .orElse(Duration.ofSeconds(1)),
                worker.seconds("redis_reconcile").orElse(Duration.ofMinutes(10)),
                asks(layout), (int) worker.integer("redis_history", 1_000, MOST_HISTORY).orElse(SharedSettings.HISTORY),
                confirmation(confirmed)));
    }

    private boolean asks(SharedLayout layout) {
        boolean wanted = worker.bool("redis_ask_on_miss").orElse(false);
        if (wanted && layout != SharedLayout.RSPAMD) {
            worker.refuse("redis_ask_on_miss", "only Rspamd writes what a node would have to ask for, and it does not "
                    + "know redis_layout = \"weir\"");
            return false;
        }
        return wanted;
    }

    private SharedSettings.Confirmation confirmation(boolean confirmed) {
        int replicas = (int) worker.integer("redis_replicas", 0, MOST_REPLICAS).orElse(0);
        boolean onDisk = worker.bool("redis_fsync").orElse(false);
        Duration patience = worker.seconds("redis_ack_timeout", Duration.ofMillis(10), Duration.ofMinutes(1))
                .orElse(SharedSettings.Confirmation.PATIENCE);
        if (!confirmed) {
            for (String name : CONFIRMING) {
                if (worker.has(name)) {
                    problems.warning(worker.originOf(name), "\"" + name + "\" of " + worker.path()
                            + " has no effect without acknowledge = \"shared\"");
                }
            }
            return SharedSettings.Confirmation.NONE;
        }
        return new SharedSettings.Confirmation(true, replicas, onDisk, patience);
    }

    private SharedSettings.@Nullable Tls tls() {
        boolean verify = !is("no_ssl_verify");
        String authorities = text("ssl_ca");
        String certificate = text("ssl_cert");
        String key = text("ssl_key");
        if (certificate.isEmpty() != key.isEmpty()) {
            String present = certificate.isEmpty() ? "ssl_key" : "ssl_cert";
            of(present).refuse(present, "a certificate and its key belong together: give both ssl_cert and ssl_key");
        }
        return is("ssl") ? new SharedSettings.Tls(authorities, certificate, key, verify) : null;
    }

    private int database() {
        List<UclValue> values = of("db").raw("db");
        if (values.isEmpty()) {
            return 0;
        }
        long number = switch (values.getFirst()) {
            case UclInteger whole -> whole.value();
            case UclString text when text.text().matches("[0-9]{1,9}") -> Long.parseLong(text.text());
            default -> -1;
        };
        if (number < 0 || number > MOST_DATABASES) {
            of("db").refuse("db", "expected the number of a database of Redis");
            return 0;
        }
        return (int) number;
    }

    private List<RedisAddress> addresses(String name, int usual) {
        Section section = of(name);
        List<RedisAddress> addresses = new ArrayList<>();
        for (String list : section.strings(name)) {
            for (String one : POLICY.matcher(list.strip()).replaceFirst("").split("[,;\\s]+", -1)) {
                if (one.isEmpty()) {
                    continue;
                }
                try {
                    Matcher weighted = WEIGHTED.matcher(one);
                    addresses.add(RedisAddress.parse(weighted.matches() ? weighted.group(1) : one, usual));
                } catch (IllegalArgumentException e) {
                    section.refuse(name, String.valueOf(e.getMessage()));
                }
            }
        }
        return addresses;
    }
}
