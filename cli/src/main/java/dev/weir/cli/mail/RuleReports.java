package dev.weir.cli.mail;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.http.controller.Json;
import dev.weir.scan.Holding;
import dev.weir.scan.LearnReport;
import dev.weir.scan.ScanResult;
import dev.weir.scan.score.SymbolResult;
import tools.jackson.core.JsonGenerator;

/** Reports of checks and updates by the rules of a configuration, with their exit statuses. */
final class RuleReports {
    private RuleReports() {}

    /** Prints the outcome of every rule and every server. */
    static int learned(Terminal terminal, Object file, LearnReport report, boolean json) {
        return learned(terminal, file, report, Optional.empty(), json);
    }

    /**
     * Prints the outcome of every rule and every server.
     *
     * @param holdings the hashes stored before the update, for JSON; empty if they are not asked for or unknown
     */
    static int learned(Terminal terminal, Object file, LearnReport report, Optional<List<Holding>> holdings,
            boolean json) {
        if (json) {
            JsonLines.line(terminal.out(), generator -> {
                generator.writeStringProperty("file", file.toString());
                generator.writeNumberProperty("flag", report.flag());
                generator.writeBooleanProperty("success", report.success());
                report.failure().ifPresent(failure -> generator.writeStringProperty("error", failure.message()));
                generator.writeArrayPropertyStart("rules");
                for (LearnReport.RuleOutcome rule : report.rules()) {
                    generator.writeStartObject();
                    generator.writeStringProperty("rule", rule.rule());
                    generator.writeStringProperty("decision", rule.decision().name().toLowerCase(Locale.ROOT));
                    generator.writeStringProperty("reason", rule.reason());
                    generator.writeArrayPropertyStart("servers");
                    for (LearnReport.ServerOutcome server : rule.servers()) {
                        generator.writeStartObject();
                        generator.writeStringProperty("server", server.server());
                        generator.writeStringProperty("status", server.status().name().toLowerCase(Locale.ROOT));
                        generator.writeNumberProperty("confirmed", server.confirmed());
                        generator.writeNumberProperty("hashes", server.total());
                        generator.writeStringProperty("message", server.message());
                        generator.writeEndObject();
                    }
                    generator.writeEndArray();
                    writeTouched(generator, rule);
                    generator.writeEndObject();
                }
                generator.writeEndArray();
                holdings.ifPresent(stored -> ForgetReport.write(generator, stored));
            });
        } else {
            print(terminal, file, report);
        }
        return status(report);
    }

    private static void writeTouched(JsonGenerator generator, LearnReport.RuleOutcome rule) {
        if (rule.touched().isEmpty()) {
            return;
        }
        generator.writeArrayPropertyStart("touched");
        for (LearnReport.Touched touched : rule.touched()) {
            generator.writeStartObject();
            generator.writeStringProperty("kind", touched.type());
            generator.writeStringProperty("digest", touched.digest().hex());
            generator.writeNumberProperty("flag", touched.flag());
            generator.writeStringProperty("nearest", touched.nearest());
            generator.writeEndObject();
        }
        generator.writeEndArray();
    }

    /** Prints the planned action of every rule. */
    static int rehearsed(Terminal terminal, Path file, LearnReport report, boolean json) {
        if (json) {
            return learned(terminal, file, report, true);
        }
        terminal.out().println(file + ":");
        for (LearnReport.RuleOutcome rule : report.rules()) {
            terminal.out().println("  rule " + rule.rule() + (rule.decision().isSent()
                    ? ": would learn " + Reports.count(rule.digests().size(), "hash") + " with flag " + rule.flag()
                    : ": would not learn, " + rule.reason()));
            if (rule.decision().isSent() && !rule.reason().isEmpty()) {
                terminal.out().println("    a part is not learned, " + rule.reason());
            }
            for (LearnReport.Touched touched : rule.touched()) {
                terminal.out().printf(Locale.ROOT, "    %-8s flag %d, %s...: %s%n", touched.type(), touched.flag(),
                        touched.digest().hex().substring(0, 10), touched.nearest());
            }
        }
        report.failure().ifPresent(failure -> terminal.error(file + ": " + failure.message()));
        return status(report);
    }

    private static void print(Terminal terminal, Object file, LearnReport report) {
        terminal.out().println(file + ":" + (report.rules().isEmpty() ? " nothing was sent" : ""));
        for (LearnReport.RuleOutcome rule : report.rules()) {
            if (rule.servers().isEmpty()) {
                terminal.out().println("  rule " + rule.rule() + ": not learned, " + rule.reason());
            }
            if (!rule.servers().isEmpty() && !rule.reason().isEmpty()) {
                terminal.out().println("  rule " + rule.rule() + ": a part is not learned, " + rule.reason());
            }
            for (LearnReport.ServerOutcome server : rule.servers()) {
                terminal.out().printf(Locale.ROOT, "  rule %s, flag %d, %s: %d of %s confirmed%s%n", rule.rule(),
                        rule.flag(), server.server(), server.confirmed(), Reports.count(server.total(), "hash"),
                        server.message().isEmpty() ? "" : "; " + server.message());
            }
        }
        report.failure().ifPresent(failure -> terminal.error(file + ": " + failure.message()));
    }

    /** Returns the greatest status of all servers. A rule that does not learn has no servers. */
    private static int status(LearnReport report) {
        int worst = report.success() ? ExitCode.OK : switch (report.failure().orElseThrow().kind()) {
            case REFUSED, SKIPPED_BY_SERVER, CONDITION -> ExitCode.REFUSED;
            case NO_ANSWER -> ExitCode.NO_ANSWER;
            case NO_FLAG, NO_RULE, NO_CONTENT, EMPTY, NO_HASH, INVALID, NOT_HASHED, DISABLED -> ExitCode.INPUT;
        };
        for (LearnReport.RuleOutcome rule : report.rules()) {
            for (LearnReport.ServerOutcome server : rule.servers()) {
                worst = ExitCode.worse(worst, switch (server.status()) {
                    case CONFIRMED -> ExitCode.OK;
                    case REFUSED -> ExitCode.REFUSED;
                    case NO_ANSWER -> ExitCode.NO_ANSWER;
                });
            }
        }
        return worst;
    }

    /** Prints the symbols of a mail with their scores and options. */
    static int checked(Terminal terminal, Path file, ScanResult result, boolean json) {
        if (json) {
            JsonLines.line(terminal.out(), generator -> {
                generator.writeStringProperty("file", file.toString());
                Json.number(generator, "score", result.score());
                generator.writeObjectPropertyStart("symbols");
                for (SymbolResult symbol : result.symbols()) {
                    generator.writeObjectPropertyStart(symbol.name());
                    Json.number(generator, "score", symbol.score());
                    generator.writeArrayPropertyStart("options");
                    symbol.options().forEach(generator::writeString);
                    generator.writeEndArray();
                    generator.writeEndObject();
                }
                generator.writeEndObject();
                generator.writeBooleanProperty("complete", result.complete());
                if (!result.failures().isEmpty()) {
                    write(generator, result.failures());
                }
                result.notHashed().ifPresent(reason -> generator.writeStringProperty("not_hashed", reason));
            });
        } else if (result.notHashed().isEmpty()) {
            if (isUnanswered(result)) {
                terminal.out().println(file + ": no answer");
            } else if (result.matches().isEmpty() && status(result.failures()) == ExitCode.REFUSED) {
                terminal.out().println(file + ": refused");
            } else {
                terminal.out().printf(Locale.ROOT, "%s: %s, score %.2f%n", file,
                        result.matches().isEmpty() ? "not known" : "known", result.score());
            }
            for (SymbolResult symbol : result.symbols()) {
                terminal.out().printf(Locale.ROOT, "  %s(%.2f) %s%n", symbol.name(), symbol.score(),
                        String.join(", ", symbol.options()));
            }
            report(terminal, file, result.failures());
        }
        if (result.notHashed().isPresent()) {
            terminal.error(file + ": is not hashed: " + result.notHashed().get());
            return ExitCode.INPUT;
        }
        if (!result.matches().isEmpty()) {
            return ExitCode.OK;
        }
        return result.complete() ? ExitCode.NO_MATCH : status(result.failures());
    }

    /** Writes the member {@code failures}. */
    static void write(JsonGenerator generator, List<ScanResult.UpstreamFailure> failures) {
        generator.writeArrayPropertyStart("failures");
        for (ScanResult.UpstreamFailure failure : failures) {
            generator.writeStartObject();
            generator.writeStringProperty("rule", failure.rule());
            generator.writeStringProperty("server", failure.server());
            generator.writeStringProperty("message", failure.message());
            if (failure.isRefusal()) {
                generator.writeNumberProperty("code", failure.code());
            }
            generator.writeEndObject();
        }
        generator.writeEndArray();
    }

    /** Prints the servers that did not answer or refused. */
    static void report(Terminal terminal, Object file, List<ScanResult.UpstreamFailure> failures) {
        failures.forEach(failure -> terminal.error(file + ": rule " + failure.rule() + ": " + failure.message()));
    }

    /** Returns the status of missing answers and refusals, or {@link ExitCode#OK} if there are none. */
    static int status(List<ScanResult.UpstreamFailure> failures) {
        int worst = ExitCode.OK;
        for (ScanResult.UpstreamFailure failure : failures) {
            worst = ExitCode.worse(worst, failure.isRefusal() ? ExitCode.REFUSED : ExitCode.NO_ANSWER);
        }
        return worst;
    }

    private static boolean isUnanswered(ScanResult result) {
        return !result.complete() && result.asked().stream().noneMatch(ScanResult.AskedHash::answered);
    }
}
