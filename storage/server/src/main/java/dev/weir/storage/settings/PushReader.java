package dev.weir.storage.settings;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;
import dev.weir.model.Networks;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.server.StorageConfig;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/** Reader for the replication of Rspamd 1.3 to 1.9 (docs/operate/nodes.md#mirrors-of-rspamd). */
final class PushReader {
    static final OptionTable SLAVE = OptionTable.shipped("slave");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Pattern PLACE = Pattern
            .compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9_.-]+)(?::(\\d{1,5}))?(?::\\d+)?");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,3}");
    private static final String SELECTION = "master-slave:";
    private static final int MOST_FLAG = 255;

    private final Section worker;
    private final MapReader maps;
    private final Problems problems;
    private final KeySettings keys;

    PushReader(Section worker, MapReader maps, Problems problems, KeySettings keys) {
        this.worker = worker;
        this.maps = maps;
        this.problems = problems;
        this.keys = keys;
    }

    /** Reads the options; null without any. */
    @Nullable
    PushSettings read() {
        List<ServerKey> pairs = keys.read(worker.sections("sync_keypair", KeySettings.OPTIONS));
        boolean slave = worker.map("masters").isPresent();
        Networks masters = slave ? Networks.perFamily(maps.networks(worker, "masters")) : null;
        Optional<PublicKey> masterKey = key(worker, "master_key");
        Duration timeout = worker.seconds("master_timeout", Duration.ofMillis(100), Duration.ofHours(1))
                .orElse(PushSettings.DEFAULT_TIMEOUT);
        Map<Integer, Integer> flags = flags();
        List<PushSettings.Slave> slaves = new ArrayList<>();
        for (String name : List.of("slave", "mirror")) {
            for (Section section : worker.sections(name, SLAVE)) {
                slave(section, name).ifPresent(slaves::add);
                section.finish();
            }
        }
        if (!slave) {
            for (String name : List.of("master_key", "master_flags", "master_timeout")) {
                if (worker.has(name)) {
                    problems.warning(worker.originOf(name), "\"" + name + "\" has no effect without masters");
                }
            }
        }
        if (!slave && slaves.isEmpty()) {
            if (worker.has("sync_keypair")) {
                problems.warning(worker.originOf("sync_keypair"),
                        "\"sync_keypair\" has no effect without masters and slave");
            }
            return null;
        }
        if (pairs.size() > 1) {
            worker.refuse("sync_keypair", "there is more than one");
        }
        if (slave && pairs.isEmpty()) {
            worker.refuse("masters", "sync_keypair { } is missing, which masters encrypt for: weir keypair prints one");
        }
        if (slave && masterKey.isEmpty() && !worker.has("master_key")) {
            problems.warning(worker.originOf("masters"),
                    "without master_key, any host in masters can push updates, with any key");
        }
        if (worker.has("replication")) {
            worker.refuse("replication",
                    "masters and slave belong to the replication of Rspamd 1.3 to 1.9: a storage has "
                            + "one or the other");
        }
        KeyPair pair = pairs.isEmpty() ? KeyPair.generate(new SecureRandom()) : pairs.getFirst().pair();
        try {
            return new PushSettings(pair, pairs.isEmpty(), masters, masterKey.orElse(null), flags, timeout, slaves);
        } catch (IllegalArgumentException e) {
            worker.refuse(worker.has("slave") ? "slave" : "mirror", String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static Optional<PublicKey> key(Section section, String name) {
        Optional<String> text = section.string(name);
        Optional<PublicKey> key = text.flatMap(PublicKey::parse);
        if (text.isPresent() && key.isEmpty()) {
            section.refuse(name, "expected a public key of 52 characters in base32");
        }
        return key;
    }

    private Map<Integer, Integer> flags() {
        Map<Integer, Integer> flags = new HashMap<>();
        for (UclValue value : worker.raw("master_flags")) {
            if (!(value instanceof UclObject pairs)) {
                worker.refuse("master_flags", "expected { \"1\" = 10; \"2\" = 20; }");
                continue;
            }
            pairs.present().forEach((theirs, ours) -> {
                if (NUMBER.matcher(theirs).matches() && Integer.parseInt(theirs) <= MOST_FLAG
                        && ours.getLast() instanceof UclInteger flag && flag.value() >= 1
                        && flag.value() <= MOST_FLAG) {
                    flags.put(Integer.parseInt(theirs), (int) flag.value());
                } else {
                    worker.refuse("master_flags", "expected numbers of flags from 0 to 255, but found \"" + theirs
                            + "\" with " + text(ours.getLast()));
                }
            });
        }
        return flags;
    }

    private static String text(UclValue value) {
        return switch (value) {
            case UclInteger number -> String.valueOf(number.value());
            case UclString text -> '"' + text.text() + '"';
            default -> value.kind();
        };
    }

    private Optional<PushSettings.Slave> slave(Section section, String option) {
        Optional<String> name = section.string("name");
        Optional<PublicKey> key = key(section, "key");
        List<PushSettings.Host> hosts = new ArrayList<>();
        for (String text : section.strings("hosts")) {
            String list = text.strip();
            for (String place : (list.startsWith(SELECTION) ? list.substring(SELECTION.length()) : list)
                    .split("[,;\\s]+", -1)) {
                host(section, place).ifPresent(hosts::add);
            }
        }
        if (name.isEmpty() || !NAME.matcher(name.get()).matches()) {
            problems.error(section.origin(),
                    option + " needs name, under which the slave counts what it gets: at most 64 "
                            + "letters, digits and _.-");
        }
        if (!section.has("key")) {
            problems.error(section.origin(), option + " needs key, the public key of the slave's sync_keypair");
        }
        if (hosts.isEmpty()) {
            problems.error(section.origin(), option + " needs hosts, the addresses of the slave");
        }
        return name.isEmpty() || key.isEmpty() || hosts.isEmpty()
                ? Optional.empty()
                : Optional.of(new PushSettings.Slave(name.get(), hosts, key.get()));
    }

    private static Optional<PushSettings.Host> host(Section section, String place) {
        Matcher matcher = PLACE.matcher(place);
        int port = matcher.matches() && matcher.group(2) != null
                ? Integer.parseInt(matcher.group(2))
                : StorageConfig.DEFAULT_PORT;
        if (!matcher.matches() || port < 1 || port > 65_535) {
            section.refuse("hosts", "expected host:port, but found \"" + place + "\"");
            return Optional.empty();
        }
        String host = matcher.group(1);
        return Optional.of(new PushSettings.Host(
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port));
    }
}
