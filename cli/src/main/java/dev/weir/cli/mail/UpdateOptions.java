package dev.weir.cli.mail;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.scan.LearnReport.HashOutcome;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.wire.reply.ErrorCode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonGenerator;

/** The options that {@code weir learn} and {@code weir forget} share: the list to change, and the report. */
final class UpdateOptions {
    private static final int MAX_FLAG = 255;

    @Option(names = "--json", description = "Print one JSON object for each mail.")
    private boolean json;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private ListName list = new ListName();

    /** The list to change, by its number or its symbol in the rules. */
    private static final class ListName {
        @Option(names = {"-f",
            "--flag"}, required = true, paramLabel = "FLAG",
                description = "The list: a number from 1 to 255, as in Rspamd's fuzzy_map.")
        private int flag;

        @Option(names = {"-S",
            "--symbol"}, required = true, paramLabel = "SYMBOL",
                description = "The list by its symbol in the fuzzy_map of the rules; requires --config.")
        private @Nullable String symbol;
    }

    /** Returns whether to print JSON. */
    boolean json() {
        return json;
    }

    /**
     * Returns the number of the list to change. An invalid number is a usage error.
     *
     * @param most the greatest flag that the target takes
     */
    int flag(int most) {
        int flag = flag();
        if (flag > most) {
            throw new FailedException(ExitCode.USAGE, "--flag " + flag + " is not between 1 and " + most
                    + ": --kinds recommended adds up to 120 to it for flags of kinds (docs/integrate/kinds.md)");
        }
        return flag;
    }

    /** Returns the number of the list to change. An invalid number is a usage error. */
    int flag() {
        if (list.symbol != null) {
            throw new FailedException(ExitCode.USAGE,
                    "--symbol requires --config, because only rules map symbols to lists");
        }
        if (list.flag < 1 || list.flag > MAX_FLAG) {
            throw new FailedException(ExitCode.USAGE, "--flag " + list.flag + " is not between 1 and 255");
        }
        return list.flag;
    }

    /** Returns a request that adds weight on the list. */
    LearnRequest adding(int weight) {
        return list.symbol == null ? LearnRequest.add(flag(), weight) : LearnRequest.add(list.symbol, weight);
    }

    /** Returns the number of the list. The command line may give its symbol in the rules instead. */
    long flag(FuzzyCheckSettings rules) {
        String symbol = list.symbol;
        if (symbol == null) {
            return flag();
        }
        return rules.flagOf(symbol).orElseThrow(
                () -> new FailedException(ExitCode.INPUT, "no rule maps a flag to the symbol " + symbol));
    }

    /**
     * Prints the outcome of an update for a mail.
     *
     * @param done the verb for the update, in the past tense
     */
    int report(Terminal terminal, Path file, String done, List<HashOutcome> outcomes) {
        if (json) {
            JsonLines.line(terminal.out(), generator -> write(generator, file.toString(), outcomes));
        }
        if (outcomes.isEmpty()) {
            terminal.error(file + ": has no hash (too short, no text, no attachment)");
            return ExitCode.INPUT;
        }
        List<HashOutcome> refused = outcomes.stream().filter(outcome -> !outcome.accepted()).toList();
        if (refused.isEmpty()) {
            if (!json) {
                terminal.out().printf(Locale.ROOT, "%s: %s %s (%s), flag %d%n", file, done,
                        Reports.count(outcomes.size(), "hash"), kinds(outcomes), list.flag);
            }
            return ExitCode.OK;
        }
        if (refused.stream().anyMatch(outcome -> outcome.error() != ErrorCode.SKIPPED)) {
            // The storage refuses this client, not this hash, so it would refuse every later mail too.
            throw new FailedException(ExitCode.REFUSED, file + ": " + refused.size() + " of "
                    + Reports.count(outcomes.size(), "hash") + " not " + done + ": " + refused.getFirst().describe());
        }
        refused.stream().collect(Collectors.groupingBy(HashOutcome::describe)).forEach((reason, hashes) -> terminal
                .error(file + ": " + hashes.size() + " of " + Reports.count(outcomes.size(), "hash")
                        + " not " + done + ": " + reason));
        return ExitCode.REFUSED;
    }

    private static String kinds(List<HashOutcome> outcomes) {
        return outcomes.stream().map(HashOutcome::kind).collect(Collectors.joining(", "));
    }

    private void write(JsonGenerator generator, String file, List<HashOutcome> outcomes) {
        generator.writeStringProperty("file", file);
        generator.writeNumberProperty("flag", list.flag);
        generator.writeArrayPropertyStart("hashes");
        for (HashOutcome outcome : outcomes) {
            generator.writeStartObject();
            generator.writeStringProperty("kind", outcome.kind());
            generator.writeStringProperty("digest", outcome.digest().hex());
            generator.writeBooleanProperty("accepted", outcome.accepted());
            if (!outcome.accepted()) {
                generator.writeNumberProperty("error", outcome.error());
            }
            generator.writeEndObject();
        }
        generator.writeEndArray();
    }
}
