package dev.weir.cli.config;

import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.weir.http.access.AccessRules;
import dev.weir.http.settings.HttpSettings;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.storage.access.Updates;
import dev.weir.storage.server.StorageConfig;

/** Who may read, change and scan: a row for each section and source, with the credential that it needs. */
final class AccessTable {
    private static final String NONE = "no";
    private static final String FREE = "yes";

    private final List<Row> rows = new ArrayList<>();

    private record Row(String section, String from, String read, String change, String scan) {}

    AccessTable() {
        rows.add(new Row("section", "from", "read", "change", "scan"));
    }

    void http(HttpSettings settings) {
        AccessRules rules = settings.access();
        boolean unix = !settings.binds().stream().allMatch(AccessTable::isNetwork);
        boolean network = settings.binds().stream().anyMatch(AccessTable::isNetwork);
        if (unix) {
            rows.add(new Row("controller", "its Unix-domain sockets", FREE, FREE, FREE));
        }
        if (network) {
            if (!rules.isGuarded()) {
                rows.add(new Row("controller", "this machine", FREE, FREE, FREE));
            }
            rules.secure().filter(networks -> !networks.isEmpty())
                    .ifPresent(networks -> rows.add(new Row("controller", "secure_ip " + networks, FREE, FREE, FREE)));
        }
        String change = rules.enablePassword().isPresent()
                ? "enable_password"
                : rules.password().isPresent() ? "password" : NONE;
        String read = rules.password().isPresent() && rules.enablePassword().isPresent()
                ? "password or enable_password"
                : change;
        rows.add(new Row("controller", "everywhere else", read, change, read));
    }

    private static boolean isNetwork(SocketAddress bind) {
        // A socket with a mode, an owner or a group has a type of its own.
        return bind instanceof InetSocketAddress;
    }

    void storage(StorageConfig settings) {
        Updates updates = settings.access().updates();
        String plain = settings.access().encryptedOnly() ? "with a key" : FREE;
        rows.add(new Row("fuzzy", "its Unix-domain sockets", plain, updates.readOnly() ? NONE : FREE, "-"));
        rows.add(new Row("fuzzy", "everywhere" + except(settings), plain, change(updates), "-"));
    }

    private static String except(StorageConfig settings) {
        return settings.access().blocked().isEmpty() ? "" : " but blocked";
    }

    private static String change(Updates updates) {
        if (updates.readOnly()) {
            return NONE;
        }
        List<String> ways = new ArrayList<>();
        sources(updates).ifPresent(ways::add);
        if (!updates.keyIds().isEmpty()) {
            ways.add("allow_update_keys");
        }
        return ways.isEmpty() ? "keys that permit it" : String.join(" or ", ways);
    }

    private static Optional<String> sources(Updates updates) {
        return Optional.ofNullable(updates.sources()).filter(networks -> !networks.isEmpty())
                .map(networks -> "allow_update " + networks);
    }

    void milter(MilterSettings settings) {
        rows.add(new Row("milter", "this machine", "-", "-", FREE));
        settings.allowed()
                .ifPresent(networks -> rows.add(new Row("milter", "allow_ip " + networks, "-", "-", FREE)));
    }

    void print(PrintStream out) {
        int section = width(rows.stream().map(Row::section).toList());
        int from = width(rows.stream().map(Row::from).toList());
        int read = width(rows.stream().map(Row::read).toList());
        int change = width(rows.stream().map(Row::change).toList());
        String form = "%-" + section + "s  %-" + from + "s  %-" + read + "s  %-" + change + "s  %s%n";
        for (Row row : rows) {
            out.printf(Locale.ROOT, form, row.section(), row.from(), row.read(), row.change(), row.scan());
        }
    }

    private static int width(List<String> column) {
        return column.stream().mapToInt(String::length).max().orElse(1);
    }
}
