package dev.weir.cli.config;

import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.weir.http.access.AccessRules;
import dev.weir.http.settings.HttpSettings;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.model.Networks;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.access.WriteRules;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.settings.TrapSources;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.PublicKey;

/** Who may read, change and scan: a row for each section and source, with the credential that it needs. */
final class AccessTable {
    private static final String NONE = "no";
    private static final String FREE = "yes";
    /** What the section does not do. */
    private static final String SILENT = "-";
    private static final String STORAGE = "fuzzy";
    private static final String OWN_USER = "this user";

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
        Access access = settings.access();
        WriteRules updates = access.updates();
        String plain = access.encryptedOnly() ? "with a key" : FREE;
        rows.add(new Row(STORAGE, "its Unix-domain sockets", plain,
                updates.sources() != null && !updates.readOnly() ? FREE : change(updates), SILENT));
        rows.add(new Row(STORAGE, "everywhere" + except(access), plain, change(updates), SILENT));
        access.keys().forEach(key -> key(key, updates, "key "));
        access.dynamicKeys().forEach(key -> key(key, updates, "dynamic key "));
        PushSettings push = settings.nodes().push();
        if (push != null && push.masters() != null) {
            rows.add(new Row(STORAGE, "masters " + push.masters(), NONE,
                    push.masterKey() == null ? FREE : "with master_key", SILENT));
        }
        ReplicationSettings replication = settings.nodes().replication();
        if (replication != null) {
            replication(replication);
        }
    }

    private static String except(Access access) {
        return access.blocked().isEmpty() ? "" : " but blocked";
    }

    private static String change(WriteRules updates) {
        if (updates.readOnly()) {
            return NONE;
        }
        Networks sources = updates.sources();
        if (sources != null) {
            return sources.isEmpty() ? NONE : "allow_update " + sources;
        }
        return updates.keyIds().isEmpty() ? "keys that permit it" : "allow_update_keys, or keys that permit it";
    }

    /** Adds what the users of a key may do beyond those without one. */
    private void key(ServerKey key, WriteRules updates, String word) {
        PublicKey shown = key.pair().publicKey();
        KeyRules rules = key.rules();
        String name = rules.name().isEmpty() ? "" : " (" + rules.name() + ")";
        Instant expires = rules.expires();
        String read = !rules.allowed().contains(Operation.READ)
                ? NONE
                : expires == null ? FREE : "until " + expires;
        rows.add(new Row(STORAGE, word + shown.shortId() + name, read, change(rules, shown, updates), SILENT));
    }

    private static String change(KeyRules rules, PublicKey key, WriteRules updates) {
        if (updates.readOnly() || updates.sources() != null) {
            // The key decides nothing.
            return change(updates);
        }
        boolean all = updates.keyIds().contains(Base32.encode(key.id()));
        boolean write = all || rules.allowed().contains(Operation.WRITE);
        boolean delete = all || rules.allowed().contains(Operation.DELETE);
        return write && delete ? FREE : write ? "learns only" : delete ? "deletes only" : NONE;
    }

    private void replication(ReplicationSettings settings) {
        for (FollowerKey follower : settings.followers()) {
            rows.add(new Row("replication", "follower \"" + follower.name() + "\", by its key",
                    follower.feed().isWhole() ? "everything" : "its part", follower.mayUpdate() ? FREE : NONE, SILENT));
        }
        ReplicationSettings.Upstream leader = settings.upstream();
        if (leader != null) {
            rows.add(new Row("replication", "leader " + leader + ", by its key",
                    settings.forwards() ? "updates of clients" : NONE, "everything", SILENT));
        }
    }

    void controlSocket(Optional<Bind.Unix> configured) {
        rows.add(new Row("control", "control.sock in the data folder, or --control", OWN_USER, OWN_USER, SILENT));
        configured.ifPresent(place -> {
            String who = who(place);
            rows.add(new Row("control", place.toString(), who, who, SILENT));
        });
    }

    /** Returns who may connect to a socket, which takes the right to write. */
    private static String who(Bind.Unix place) {
        List<String> who = new ArrayList<>();
        if (place.mode().contains(PosixFilePermission.OTHERS_WRITE)) {
            return FREE;
        }
        if (place.mode().contains(PosixFilePermission.OWNER_WRITE)) {
            who.add(place.owner().isEmpty() ? OWN_USER : "user " + place.owner());
        }
        if (place.mode().contains(PosixFilePermission.GROUP_WRITE)) {
            who.add(place.group().isEmpty() ? "its group" : "group " + place.group());
        }
        return who.isEmpty() ? NONE : String.join(", ", who);
    }

    void traps(TrapSettings settings) {
        boolean delivered = !settings.smtp().isEmpty() || !settings.lmtp().isEmpty();
        sources("traps", "mail for traps", settings.sources(), delivered);
        settings.complaints().ifPresent(complaints -> {
            sources("complaints", "votes", complaints.sources(), delivered);
            if (delivered && !complaints.keep().isEmpty()) {
                rows.add(new Row("trap", "every sender to an address of keep", NONE, "votes", SILENT));
            }
        });
        settings.wanted().ifPresent(wanted -> sources("wanted", "signed mail of senders", wanted.sources(), delivered));
    }

    private void sources(String section, String change, TrapSources sources, boolean delivered) {
        if (delivered && !sources.addresses().isEmpty()) {
            rows.add(new Row("trap", "every sender to an address of " + section, NONE, change, SILENT));
        }
        if (sources.hasFolders()) {
            rows.add(new Row("trap", "who writes to the folders of " + section, NONE,
                    section.equals("wanted") ? "everything" : change, SILENT));
        }
    }

    void milter(MilterSettings settings) {
        rows.add(new Row("milter", "this machine", SILENT, SILENT, FREE));
        settings.allowed()
                .ifPresent(networks -> rows.add(new Row("milter", "allow_ip " + networks, SILENT, SILENT, FREE)));
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
