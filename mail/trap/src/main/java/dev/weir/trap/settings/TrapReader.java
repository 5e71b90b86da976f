package dev.weir.trap.settings;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.Configuration;
import dev.weir.config.map.MapFile;
import dev.weir.config.map.MapSource;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclObject;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.http.settings.BindText;
import dev.weir.http.settings.NetworkOption;
import dev.weir.http.settings.TlsOptions;
import dev.weir.model.Networks;
import dev.weir.model.failure.Reason;

/** A reader of {@code worker "trap"}. All errors are reported, not only the first. */
public final class TrapReader {
    private static final String NAME = "worker \"trap\"";
    private static final OptionTable OPTIONS = OptionTable.shipped("worker-trap");
    private static final OptionTable COMPLAINTS = OptionTable.shipped("trap-complaints");
    private static final OptionTable WANTED = OptionTable.shipped("trap-wanted");
    private static final int MAX_FILE = 8 << 20;

    private final Section section;
    private final SourceFiles files;
    private final Problems problems;
    /** The passwords of IMAP accounts. */
    private Map<String, String> passwords = Map.of();

    private TrapReader(Section section, SourceFiles files, Problems problems) {
        this.section = section;
        this.files = files;
        this.problems = problems;
    }

    /**
     * Reads the settings of a configuration.
     *
     * @param files the files that lists may name
     * @param problems receives all errors and warnings; after an error, do not use the result
     * @return empty if there is no {@code worker "trap"} or it is disabled
     */
    public static Optional<TrapSettings> read(Configuration configuration, SourceFiles files, Problems problems) {
        List<UclObject> workers = configuration.workers("trap");
        if (workers.isEmpty()) {
            return Optional.empty();
        }
        if (workers.size() > 1) {
            problems.error(workers.get(1).origin(), "a second " + NAME + ": one of them is enough, with several"
                    + " bind_socket");
            return Optional.empty();
        }
        Section section = Section.of(workers.getFirst(), NAME, OPTIONS, problems);
        Optional<TrapSettings> settings = new TrapReader(section, files, problems).read();
        section.finish();
        return settings;
    }

    private Optional<TrapSettings> read() {
        section.string("type");
        boolean enabled = section.bool("enabled").orElse(true)
                && section.integer("count", -1, 1 << 16).orElse(1) > 0;
        passwords = passwords();
        List<InetSocketAddress> smtp = binds("bind_socket");
        List<InetSocketAddress> lmtp = binds("lmtp_socket");
        TrapSources sources = sources(section);
        TrapPolicy policy = policy();
        TrapSettings settings = new TrapSettings(smtp, lmtp, TlsOptions.read(section, Optional.empty()),
                whole("max_message", 1024, 50 << 20, 10 << 20),
                whole("max_connections", 1, 100_000, 500),
                section.seconds("timeout", Duration.ofSeconds(1), Duration.ofHours(1)).orElse(Duration.ofMinutes(1)),
                section.seconds("poll", Duration.ofSeconds(1), Duration.ofDays(1)).orElse(Duration.ofMinutes(1)),
                sources, policy, only("complaints", COMPLAINTS).map(this::complaints),
                only("wanted", WANTED).map(inner -> wanted(inner, policy.hamFlags())));
        if (!enabled) {
            return Optional.empty();
        }
        check(settings);
        return Optional.of(settings);
    }

    private void check(TrapSettings settings) {
        List<TrapSources> all = new ArrayList<>(List.of(settings.sources()));
        settings.complaints().ifPresent(complaints -> all.add(complaints.sources()));
        settings.wanted().ifPresent(wanted -> all.add(wanted.sources()));
        boolean doors = !settings.smtp().isEmpty() || !settings.lmtp().isEmpty();
        // Complaints also come by HTTP.
        if (!doors && settings.complaints().isEmpty() && all.stream().noneMatch(TrapSources::hasFolders)) {
            problems.error(section.origin(), NAME + " has no source of mail: give bind_socket, lmtp_socket, maildir,"
                    + " mbox or imap");
        }
        if (doors && all.stream().allMatch(sources -> sources.addresses().isEmpty())) {
            problems.error(section.origin(), NAME + " refuses every recipient: addresses names no trap");
        }
        settings.complaints().filter(complaints -> settings.policy().hamFlags().contains(complaints.flag()))
                .ifPresent(complaints -> section.refuse("complaints", "flag " + complaints.flag()
                        + " cannot be that of wanted mail and that of complaints"));
    }

    private Optional<Section> only(String option, OptionTable table) {
        List<Section> sections = section.sections(option, table);
        if (sections.size() > 1) {
            section.refuse(option, "expected one section, but found " + sections.size());
        }
        return sections.stream().findFirst();
    }

    private ComplaintSettings complaints(Section inner) {
        int weight = whole(inner, "weight", 1, 1_000_000, 1);
        int maxWeight = whole(inner, "max_weight", 1, 100_000_000, Math.max(100, weight));
        if (maxWeight < weight) {
            inner.refuse("max_weight", "expected at least the weight of one complaint, " + weight);
            maxWeight = weight;
        }
        ComplaintSettings settings = new ComplaintSettings(sources(inner), addresses(inner, "keep_addresses"),
                inner.bool("reports").orElse(false), inner.integer("flag", 1, Integer.MAX_VALUE).orElse(2),
                whole(inner, "min_votes", 1, 1000, 3), weight, maxWeight, whole(inner, "keep_votes", 0, 1000, 1));
        inner.finish();
        return settings;
    }

    private WantedSettings wanted(Section inner, List<Long> hamFlags) {
        WantedSettings settings = new WantedSettings(sources(inner),
                inner.integer("flag", 1, Integer.MAX_VALUE).orElse(3), whole(inner, "weight", 1, 1_000_000, 1),
                lower(inner, "senders"),
                lower(inner, "trusted_hosts"));
        if (!hamFlags.contains(settings.flag())) {
            inner.refuse("flag", "flag " + settings.flag() + " is not one of ham_flags");
        }
        if (!settings.senders().isEmpty() && settings.trustedHosts().isEmpty()) {
            inner.refuse("senders", "trusted_hosts names no host that checks signatures");
        }
        // A subdomain would never match, because a signature counts for the registrable domain.
        for (String sender : settings.senders()) {
            String domain = PublicSuffixes.standard().registrableDomain(sender);
            if (domain != null && !domain.equals(sender)) {
                inner.refuse("senders", "\"" + sender + "\" is a part of a domain; name the whole one, " + domain);
            }
        }
        inner.finish();
        return settings;
    }

    private static Set<String> lower(Section from, String option) {
        Set<String> texts = new HashSet<>();
        from.strings(option).forEach(text -> texts.add(text.toLowerCase(Locale.ROOT)));
        return texts;
    }

    private TrapSources sources(Section from) {
        return new TrapSources(addresses(from, "addresses"), paths(from, "maildir"), paths(from, "mbox"), imap(from));
    }

    private List<ImapFolder> imap(Section from) {
        List<ImapFolder> folders = new ArrayList<>();
        for (String text : from.strings("imap")) {
            try {
                ImapFolder folder = ImapFolder.parse(text);
                String password = passwords.get(folder.account());
                if (password == null) {
                    from.refuse("imap", "imap_passwords has no line for " + folder.account());
                } else {
                    folders.add(folder.withPassword(password));
                }
            } catch (IllegalArgumentException e) {
                from.refuse("imap", String.valueOf(e.getMessage()));
            }
        }
        return folders;
    }

    /** Reads lines with an account, {@code user@host}, and its password. */
    private Map<String, String> passwords() {
        Optional<String> file = section.string("imap_passwords");
        Map<String, String> read = new HashMap<>();
        if (file.isEmpty()) {
            return read;
        }
        try {
            List<String> lines = new String(files.read(file.get(), MAX_FILE), StandardCharsets.UTF_8).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).strip();
                String[] words = line.split("\\s+", 2);
                if (words.length == 2 && !line.startsWith("#")) {
                    read.put(words[0], words[1]);
                } else if (!line.isEmpty() && !line.startsWith("#")) {
                    section.refuse("imap_passwords", "line " + (i + 1) + " of " + file.get()
                            + ": expected user@host, a blank and the password");
                }
            }
        } catch (IOException e) {
            section.refuse("imap_passwords", file.get() + " cannot be read: " + Reason.of(e, file.get()));
        }
        return read;
    }

    private List<InetSocketAddress> binds(String option) {
        List<InetSocketAddress> binds = new ArrayList<>();
        for (String text : section.strings(option)) {
            try {
                for (SocketAddress address : BindText.parse(text, TrapSettings.DEFAULT_PORT)) {
                    if (address instanceof InetSocketAddress inet) {
                        binds.add(inet);
                    } else {
                        section.refuse(option, "expected a host and a port: traps do not listen on Unix-domain"
                                + " sockets");
                    }
                }
            } catch (IllegalArgumentException e) {
                section.refuse(option, String.valueOf(e.getMessage()));
            }
        }
        return binds;
    }

    private static List<Path> paths(Section from, String option) {
        List<Path> paths = new ArrayList<>();
        for (String text : from.strings(option)) {
            try {
                paths.add(Path.of(text));
            } catch (InvalidPathException e) {
                from.refuse(option, "\"" + text + "\" is not a path");
            }
        }
        return paths;
    }

    private TrapAddresses addresses(Section from, String option) {
        Optional<MapSource> source = from.map(option);
        List<String> texts = new ArrayList<>();
        for (MapSource.Entry entry : source.map(MapSource::entries).orElse(List.of())) {
            texts.add(entry.text());
        }
        for (MapSource.Entry file : source.map(MapSource::files).orElse(List.of())) {
            MapFile.read(files, file, MAX_FILE, problems::add).ifPresent(text -> text.lines()
                    .map(line -> line.strip().split("[#\\s]", 2)[0])
                    .filter(line -> !line.isEmpty())
                    .forEach(texts::add));
        }
        try {
            return TrapAddresses.of(texts);
        } catch (IllegalArgumentException e) {
            from.refuse(option, String.valueOf(e.getMessage()));
            return TrapAddresses.NONE;
        }
    }

    private TrapPolicy policy() {
        List<Long> ham = section.integers("ham_flags", 1, Integer.MAX_VALUE);
        long flag = section.integer("flag", 1, Integer.MAX_VALUE).orElse(1);
        List<Long> hamFlags = section.has("ham_flags") ? ham : List.of(3L);
        if (hamFlags.contains(flag)) {
            section.refuse("ham_flags", "flag " + flag + " cannot be that of wanted mail and that of traps");
        }
        int weight = whole("weight", 1, 1_000_000, 5);
        int maxWeight = whole("max_weight", 1, 100_000_000, Math.max(50, weight));
        if (maxWeight < weight) {
            section.refuse("max_weight", "expected at least the weight for one source, " + weight);
            maxWeight = weight;
        }
        Set<String> domains = lower(section, "own_domains");
        return new TrapPolicy(flag, hamFlags, whole("min_words", 1, 10_000, 32),
                whole("min_sources", 1, 1000, 2), weight, maxWeight,
                section.bool("images").orElse(false),
                NetworkOption.read(section, "relays", files, problems)
                        .orElse(Networks.dualStack("127.0.0.0/8", "::1")),
                NetworkOption.read(section, "own_networks", files, problems).orElse(Networks.NONE), domains,
                section.seconds("hold_time", Duration.ofMinutes(1), Duration.ofDays(365)).orElse(Duration.ofDays(7)),
                whole("max_campaigns", 1, 10_000_000, 100_000));
    }

    private int whole(String option, int least, int most, int usual) {
        return whole(section, option, least, most, usual);
    }

    private static int whole(Section from, String option, int least, int most, int usual) {
        return (int) from.integer(option, least, most).orElse(usual);
    }
}
