package dev.weir.storage.settings;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.ucl.UclArray;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclValue;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.replication.Feed;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/** Reader for {@code replication {}} of {@code worker "fuzzy"} (docs/operate/nodes.md). */
final class NodeSettings {
    static final OptionTable OPTIONS = OptionTable.shipped("replication");
    static final OptionTable FOLLOWER = OptionTable.shipped("replication-follower");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Pattern PLACE = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9_.-]+)(?::(\\d{1,5}))?");
    private static final int MAX_FOLLOWERS = 1_000;
    private static final long MIN_HOLD = 1 << 20;

    private final Section worker;
    private final Problems problems;
    private final KeySettings keys;

    NodeSettings(Section worker, Problems problems, KeySettings keys) {
        this.worker = worker;
        this.problems = problems;
        this.keys = keys;
    }

    /**
     * Reads the section.
     *
     * @param confirmed whether updates are acknowledged only when followers have them
     * @return null if there is no section, or with an error
     */
    @Nullable
    ReplicationSettings read(boolean confirmed) {
        List<Section> sections = worker.sections("replication", OPTIONS);
        if (sections.isEmpty()) {
            if (confirmed) {
                worker.refuse("acknowledge", "\"replicated\" needs replication { follower ... { } }");
            }
            return null;
        }
        if (sections.size() > 1) {
            problems.error(sections.get(1).origin(), "there is a second section replication");
        }
        ReplicationSettings settings = node(sections.getFirst(), confirmed);
        sections.getFirst().finish();
        return settings;
    }

    private @Nullable ReplicationSettings node(Section section, boolean confirmed) {
        List<ServerKey> pairs = keys.read(section.sections("keypair", KeySettings.OPTIONS));
        if (pairs.size() != 1) {
            problems.error(section.origin(), section.path() + " needs one keypair { }: weir keypair prints one");
        }
        List<InetSocketAddress> binds = binds(section);
        List<FollowerKey> followers = followers(section);
        if (binds.isEmpty() != followers.isEmpty()) {
            problems.error(section.origin(), binds.isEmpty()
                    ? section.path() + " names followers, and needs bind_socket, where they connect"
                    : "\"bind_socket\" of " + section.path() + " has no effect: name the followers that may connect "
                            + "there");
        }
        ReplicationSettings.Upstream upstream = upstream(section);
        boolean forwards = section.choice("learns", List.of("forward", "refuse")).orElse("forward").equals("forward");
        int needed = (int) section.integer("confirmations", 1, MAX_FOLLOWERS).orElse(1);
        Duration patience = section.seconds("confirm_timeout", Duration.ofMillis(10), Duration.ofMinutes(1))
                .orElse(ReplicationSettings.DEFAULT_PATIENCE);
        Duration lag = section.seconds("max_lag", Duration.ofSeconds(1), Duration.ofDays(36_500))
                .orElse(ReplicationSettings.DEFAULT_MAX_LAG);
        long whole = followers.stream().filter(follower -> follower.feed().isWhole()).count();
        if (confirmed && needed < whole) {
            problems.warning(section.origin(), "\"confirmations\" of " + section.path() + " is " + needed + ", and "
                    + whole + " followers get everything: if one of them is promoted, the others can go on confirming "
                    + "updates of this node, which are lost later (docs/operate/nodes.md#fencing)");
        }
        if (pairs.size() != 1) {
            return null;
        }
        try {
            return new ReplicationSettings(pairs.getFirst().pair(), binds, followers, upstream, forwards,
                    confirmed ? needed : 0, patience, lag);
        } catch (IllegalArgumentException e) {
            section.refuse(confirmed ? "confirmations" : "follower", String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static List<InetSocketAddress> binds(Section section) {
        List<InetSocketAddress> binds = new ArrayList<>();
        for (String text : section.strings("bind_socket")) {
            try {
                binds.add(BindAddress.inet(text.strip(), ReplicationSettings.DEFAULT_PORT));
            } catch (IllegalArgumentException e) {
                section.refuse("bind_socket", String.valueOf(e.getMessage()));
            }
        }
        return binds;
    }

    private static ReplicationSettings.@Nullable Upstream upstream(Section section) {
        Optional<String> place = section.string("leader");
        Optional<PublicKey> key = key(section, "leader_key");
        if (place.isEmpty()) {
            if (section.has("leader_key")) {
                section.refuse("leader_key", "there is no \"leader\" with this key");
            }
            return null;
        }
        if (!section.has("leader_key")) {
            section.refuse("leader", "leader_key is missing: it is the public key of the leader");
        }
        Matcher matcher = PLACE.matcher(place.get().strip());
        int port = matcher.matches() && matcher.group(2) != null
                ? Integer.parseInt(matcher.group(2))
                : ReplicationSettings.DEFAULT_PORT;
        if (!matcher.matches() || port < 1 || port > 65_535) {
            section.refuse("leader", "expected host:port, but found \"" + place.get() + "\"");
            return null;
        }
        String host = matcher.group(1);
        return key.map(known -> new ReplicationSettings.Upstream(
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port, known)).orElse(null);
    }

    private static Optional<PublicKey> key(Section section, String name) {
        Optional<String> text = section.string(name);
        Optional<PublicKey> key = text.flatMap(PublicKey::parse);
        if (text.isPresent() && key.isEmpty()) {
            section.refuse(name, "expected a public key of 52 characters in base32");
        }
        return key;
    }

    private List<FollowerKey> followers(Section section) {
        List<FollowerKey> followers = new ArrayList<>();
        for (Section.Named named : section.named("follower", FOLLOWER, object -> !object.values("key").isEmpty())) {
            Section inner = named.section();
            if (!NAME.matcher(named.name()).matches()) {
                problems.error(inner.origin(), "a follower needs a name of at most 64 letters, digits and _.-, such as"
                        + " follower \"standby\" { }");
            }
            Optional<PublicKey> key = key(inner, "key");
            if (!inner.has("key")) {
                problems.error(inner.origin(), inner.path() + " needs key, the public key of the follower");
            }
            OptionalLong weight = inner.integer("min_weight", 1, Integer.MAX_VALUE);
            boolean origins = inner.bool("origins").orElse(true);
            boolean learns = inner.bool("learns").orElse(false);
            long hold = inner.integer("max_log", MIN_HOLD, Long.MAX_VALUE).orElse(FollowerKey.DEFAULT_HOLD);
            Map<Integer, Integer> flags = flags(inner);
            inner.finish();
            if (key.isEmpty()) {
                continue;
            }
            try {
                Feed feed = new Feed(flags, weight.isPresent() ? Long.valueOf(weight.getAsLong()) : null, origins);
                if (learns && !flags.isEmpty()) {
                    inner.refuse("learns", "a follower with other flags cannot pass on updates, because it does not"
                            + " know the flags of this node");
                }
                followers.add(new FollowerKey(named.name(), key.get(), feed, learns, hold));
            } catch (IllegalArgumentException e) {
                inner.refuse("flags", String.valueOf(e.getMessage()));
            }
        }
        return followers;
    }

    /** Returns the flags that a follower gets: {@code flags { 11 = 1 }} with other numbers, or {@code [1, 2]}. */
    private static Map<Integer, Integer> flags(Section section) {
        Map<Integer, Integer> flags = new HashMap<>();
        for (UclValue value : section.raw("flags")) {
            List<UclValue> items = value instanceof UclArray array ? array.items() : List.of(value);
            for (UclValue item : items) {
                if (item instanceof UclObject pairs) {
                    pairs.present().forEach((ours, theirs) -> add(section, flags, flag(ours),
                            theirs.size() == 1 ? flag(theirs.getFirst()) : null));
                } else {
                    Integer same = flag(item);
                    add(section, flags, same, same);
                }
            }
        }
        if (section.has("flags") && flags.isEmpty()) {
            section.refuse("flags", "it names no flag, so the follower would get nothing");
        }
        return flags;
    }

    private static void add(Section section, Map<Integer, Integer> flags, @Nullable Integer ours,
            @Nullable Integer theirs) {
        if (ours == null || theirs == null) {
            section.refuse("flags", "expected numbers of flags, such as [1, 2], or { 11 = 1; 12 = 2; }");
        } else if (flags.put(ours, theirs) != null) {
            section.refuse("flags", "flag " + ours + " is listed twice");
        }
    }

    private static @Nullable Integer flag(UclValue value) {
        return value instanceof UclInteger number && number.value() == (int) number.value()
                ? Integer.valueOf((int) number.value())
                : null;
    }

    private static @Nullable Integer flag(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
