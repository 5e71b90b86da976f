package dev.weir.milter.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import dev.weir.config.Configuration;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.SourceFiles;
import dev.weir.http.controller.Actions;
import dev.weir.http.settings.ActionSettings;
import dev.weir.http.settings.BindText;
import dev.weir.http.settings.NetworkOption;
import dev.weir.milter.settings.MilterSettings.OnFailure;
import dev.weir.milter.settings.MilterSettings.OnReject;
import dev.weir.model.Networks;

/** A reader of {@code worker "milter"} and {@code actions}. All errors are reported, not only the first. */
public final class MilterReader {
    private static final String NAME = "worker \"milter\"";
    private static final OptionTable OPTIONS = OptionTable.shipped("worker-milter");
    private static final SocketAddress USUAL = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"),
            MilterSettings.DEFAULT_PORT);
    private static final Pattern LINE = Pattern.compile("[ -~]{1,400}");
    /** RFC 5322, 2.2, with the length that mail servers accept. */
    private static final Pattern FIELD = Pattern.compile("[!-9;-~]{0,100}");

    private final Section section;
    private final SourceFiles files;
    private final Problems problems;

    private MilterReader(Section section, SourceFiles files, Problems problems) {
        this.section = section;
        this.files = files;
        this.problems = problems;
    }

    /**
     * Reads the settings of a configuration.
     *
     * @param files the files that lists may name
     * @param problems receives all errors and warnings; after an error, do not use the result
     * @return empty if there is no {@code worker "milter"} or it is disabled
     */
    public static Optional<MilterSettings> read(Configuration configuration, SourceFiles files, Problems problems) {
        return configuration.worker("milter", OPTIONS, problems).flatMap(section -> {
            MilterReader reader = new MilterReader(section, files, problems);
            return reader.read(() -> ActionSettings.read(configuration, problems));
        });
    }

    /** @param actions reads the thresholds, after the section so that its problems come first */
    private Optional<MilterSettings> read(Supplier<Actions> actions) {
        boolean runs = Configuration.runs(section);
        List<SocketAddress> binds = binds();
        Optional<Networks> allowed = NetworkOption.read(section, "allow_ip", files, problems);
        OnReject onReject = onReject();
        OnFailure onFailure = section.choice("on_failure", List.of("accept", "defer")).orElse("accept")
                .equals("defer") ? OnFailure.DEFER : OnFailure.ACCEPT;
        boolean resultHeader = section.bool("spamd_result").orElse(false);
        String rejectText = matching("reject_message", LINE, "one line of ASCII with at most 400 characters")
                .orElse("Spam message rejected");
        String subject = matching("subject", LINE, "one line of ASCII with at most 400 characters; other"
                + " characters need encoded words (RFC 2047)").orElse("*** SPAM *** %s");
        String spamHeader = matching("spam_header", FIELD, "the name of a header field, or an empty text")
                .orElse("X-Weir-Spam");
        int mailBytes = (int) section.integer("max_message", 1024, 1 << 29).orElse(50 << 20);
        int connections = (int) section.integer("max_connections", 1, 1_000_000).orElse(4096);
        Duration idle = section.seconds("timeout", Duration.ofSeconds(1), Duration.ofDays(1))
                .orElse(Duration.ofHours(2));
        Duration scan = section.seconds("scan_timeout", Duration.ofSeconds(1), Duration.ofMinutes(5))
                .orElse(Duration.ofSeconds(30));
        if (runs) {
            MilterSettings.shutDoor(binds, allowed)
                    .ifPresent(problem -> problems.error(section.origin(), NAME + " " + problem));
        }
        section.finish();
        return runs
                ? Optional.of(new MilterSettings(binds, allowed, onFailure, onReject, rejectText, subject, spamHeader,
                        resultHeader, mailBytes, connections, idle, scan, actions.get()))
                : Optional.empty();
    }

    private List<SocketAddress> binds() {
        List<SocketAddress> binds = new ArrayList<>();
        for (String text : section.strings("bind_socket")) {
            try {
                binds.addAll(BindText.parse(text, MilterSettings.DEFAULT_PORT));
            } catch (IllegalArgumentException e) {
                section.refuse("bind_socket", String.valueOf(e.getMessage()));
            }
        }
        return binds.isEmpty() ? List.of(USUAL) : binds;
    }

    private OnReject onReject() {
        boolean discard = section.bool("discard_on_reject").orElse(false);
        boolean quarantine = section.bool("quarantine_on_reject").orElse(false);
        if (discard && quarantine) {
            section.refuse("quarantine_on_reject", "a mail cannot be both discarded and quarantined;"
                    + " leave out discard_on_reject");
        }
        return discard ? OnReject.DISCARD : quarantine ? OnReject.QUARANTINE : OnReject.REJECT;
    }

    private Optional<String> matching(String option, Pattern pattern, String expected) {
        Optional<String> text = section.string(option);
        if (text.isPresent() && !pattern.matcher(text.get()).matches()) {
            section.refuse(option, "expected " + expected);
            return Optional.empty();
        }
        return text;
    }
}
