package dev.weir.cli.mail;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.model.Digest;
import dev.weir.scan.Holding;
import dev.weir.scan.LearnReport.HashOutcome;
import dev.weir.wire.reply.ErrorCode;
import tools.jackson.core.JsonGenerator;

/**
 * The report of {@code weir forget} on one mail or on digests: the hashes on the list, the matches of the other
 * hashes, and the updates that the storage confirmed.
 *
 * @param subject the file, or the source of the digests
 * @param flag the list
 * @param holdings the hashes stored before; empty if the storage did not report them
 * @param removals the updates sent; empty in a dry run
 * @param matching whether to remove the hashes that the mail matches instead of the hashes of the mail
 * @param rehearsal whether this is a dry run
 */
record ForgetReport(String subject, long flag, Optional<List<Holding>> holdings, List<HashOutcome> removals,
        boolean matching, boolean rehearsal) {
    private static final int DIGEST_SHOWN = 16;

    /** Prints the report. Returns {@link ExitCode#OK} if a hash was removed, or would be removed by a dry run. */
    int print(Terminal terminal, boolean json) {
        if (json) {
            JsonLines.line(terminal.out(), this::write);
        }
        List<HashOutcome> refused = removals.stream().filter(removal -> !removal.accepted()).toList();
        if (!refused.isEmpty()) {
            return refused(terminal, refused);
        }
        if (!json) {
            text(terminal, there());
        }
        return status();
    }

    /** Returns {@link ExitCode#OK} if a hash was or would be removed, or the storage did not report its hashes. */
    int status() {
        return holdings.isPresent() && there().isEmpty() ? ExitCode.NO_MATCH : ExitCode.OK;
    }

    private List<Holding> there() {
        return holdings.orElse(List.of()).stream().filter(this::isWanted).toList();
    }

    private boolean isWanted(Holding holding) {
        return matching ? holding.matches(flag) : holding.isOn(flag);
    }

    private int refused(Terminal terminal, List<HashOutcome> refused) {
        String what = subject + ": " + refused.size() + " of " + Reports.count(removals.size(), "hash")
                + " not forgotten: ";
        if (refused.stream().anyMatch(removal -> removal.error() != ErrorCode.SKIPPED)) {
            // The storage refuses this client, not this hash, so it would refuse every later mail too.
            throw new FailedException(ExitCode.REFUSED, what + refused.getFirst().describe());
        }
        terminal.error(what + refused.getFirst().describe());
        return ExitCode.REFUSED;
    }

    private void text(Terminal terminal, List<Holding> there) {
        if (holdings.isEmpty()) {
            terminal.out().printf(Locale.ROOT,
                    "%s: the storage confirmed %s, flag %d; it did not report the stored hashes%n",
                    subject, Reports.count(removals.size(), "hash"), flag);
            return;
        }
        List<Holding> all = holdings.get();
        String done = rehearsal ? "would forget" : "forgotten";
        if (there.isEmpty()) {
            terminal.out().printf(Locale.ROOT, "%s: nothing %s, flag %d: none of %s %s%n", subject,
                    rehearsal ? "to forget" : "forgotten", flag, Reports.count(all.size(), "hash"),
                    matching ? "matches a hash of this list" : "was on this list");
        } else {
            String share = there.size() == all.size() ? "" : " of " + all.size();
            terminal.out().printf(Locale.ROOT, "%s: %s %s%s, flag %d%n", subject, done,
                    there.size() + share + (all.size() == 1 ? " hash" : " hashes"), kinds(there), flag);
        }
        if (matching || rehearsal) {
            there.forEach(holding -> terminal.out().println("  " + name(holding) + stored(holding)));
        }
        all.stream().filter(holding -> !isWanted(holding))
                .forEach(holding -> terminal.out().println("  " + name(holding) + missing(holding)));
    }

    private static String kinds(List<Holding> holdings) {
        String kinds = holdings.stream().map(Holding::kind).filter(kind -> !kind.isEmpty())
                .collect(Collectors.joining(", "));
        return kinds.isEmpty() ? "" : " (" + kinds + ")";
    }

    private static String name(Holding holding) {
        return (holding.kind().isEmpty() ? "" : holding.kind() + " ") + head(holding.queried()) + ": ";
    }

    private static String head(Digest digest) {
        return digest.hex().substring(0, DIGEST_SHOWN);
    }

    private String stored(Holding holding) {
        return holding.stored().orElseThrow().hex() + ", value " + holding.lists().get(flag)
                + (holding.isStored() ? "" : String.format(Locale.ROOT, ", probability %.2f", holding.probability()));
    }

    private String missing(Holding holding) {
        if (holding.isStored()) {
            return "not on this list, but on " + lists(holding);
        }
        if (holding.stored().isEmpty()) {
            return "not stored";
        }
        return String.format(Locale.ROOT, "not stored; it matches %s on %s with probability %.2f%s",
                head(holding.stored().get()), lists(holding), holding.probability(),
                holding.matches(flag) ? ": --matching removes it" : "");
    }

    private static String lists(Holding holding) {
        return holding.lists().keySet().stream().map(String::valueOf)
                .collect(Collectors.joining(", ", holding.lists().size() == 1 ? "flag " : "flags ", ""));
    }

    private void write(JsonGenerator generator) {
        generator.writeStringProperty("file", subject);
        generator.writeNumberProperty("flag", flag);
        generator.writeBooleanProperty("matching", matching);
        generator.writeBooleanProperty("dry_run", rehearsal);
        generator.writeArrayPropertyStart("hashes");
        for (HashOutcome removal : removals) {
            generator.writeStartObject();
            generator.writeStringProperty("digest", removal.digest().hex());
            generator.writeBooleanProperty("accepted", removal.accepted());
            if (!removal.accepted()) {
                generator.writeNumberProperty("error", removal.error());
            }
            generator.writeEndObject();
        }
        generator.writeEndArray();
        holdings.ifPresent(stored -> write(generator, stored));
    }

    /** Writes the member {@code stored}. */
    static void write(JsonGenerator generator, List<Holding> stored) {
        generator.writeArrayPropertyStart("stored");
        for (Holding holding : stored) {
            generator.writeStartObject();
            generator.writeStringProperty("kind", holding.kind());
            generator.writeStringProperty("queried", holding.queried().hex());
            holding.stored().ifPresent(digest -> generator.writeStringProperty("digest", digest.hex()));
            generator.writeNumberProperty("probability", holding.probability());
            generator.writeObjectPropertyStart("flags");
            holding.lists().forEach((list, value) -> generator.writeNumberProperty(String.valueOf(list), value));
            generator.writeEndObject();
            generator.writeEndObject();
        }
        generator.writeEndArray();
    }
}
