package dev.weir.cli.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

import dev.weir.cli.config.ConfigFile;
import dev.weir.cli.option.HasherOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.explain.Doctor;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.server.StorageConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir doctor}: a check of every precondition of learning. */
@Command(name = "doctor", mixinStandardHelpOptions = true, description = {
    "Checks every condition for learning and finding mails, and reports those that fail.",
    "With a storage of this machine in the configuration, also reports what the storage says of itself.",
    "Stores nothing: it tests write access by deleting a hash that does not exist."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:every condition holds", "2:the command line is wrong", "3:a condition fails; see the lines with NO"})
public final class DoctorCommand implements Callable<Integer> {
    private final Terminal terminal;
    private boolean healthy = true;

    @Mixin
    private RulesOption rulesOption = new RulesOption();

    @Mixin
    private HasherOptions hasherOptions = new HasherOptions();

    @Option(names = {"-f",
        "--flag"}, paramLabel = "FLAG", defaultValue = "1", description = "The list to learn to (default: 1).")
    private int flag;

    @Parameters(arity = "0..1", paramLabel = "MAIL", description = "A mail that should be learned or found.")
    private @Nullable Path mail;

    public DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (!rulesOption.isGiven()) {
            throw new FailedException(ExitCode.USAGE,
                    "--config is required: the configuration that would learn, such as /etc/rspamd");
        }
        ConfigFile file = rulesOption.file();
        Optional<FuzzyCheckSettings> rulesIfAny = rulesOption.rulesIfAny(terminal, file);
        Optional<StorageConfig> storage = RulesOption.storage(file);
        if (rulesIfAny.isEmpty() && (storage.isEmpty() || mail != null)) {
            throw rulesOption.noRules();
        }
        say(true, "the configuration " + rulesOption.path() + " can be read", "");
        Doctor doctor = new Doctor(this::say);
        rulesIfAny.ifPresent(doctor::settings);
        storage.ifPresent(
                config -> new StorageExamination(config.dataDir(), config.followsDatabase(), this::say).run());
        if (rulesIfAny.isEmpty()) {
            terminal.out().println("--  it has no fuzzy_check: no rule is tested");
            return healthy ? ExitCode.OK : ExitCode.INPUT;
        }
        FuzzyCheckSettings settings = rulesIfAny.get();
        return RulesOption.use(settings, hasherOptions.hasher(), rules -> {
            doctor.mayWrite(rules, flag);
            if (mail != null) {
                byte[] bytes = read(mail);
                mail(rules, bytes);
                doctor.likeness(settings, rules.hasher(), bytes);
            }
            return healthy ? ExitCode.OK : ExitCode.INPUT;
        });
    }

    private byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new FailedException(ExitCode.INPUT, file + " cannot be read");
        }
    }

    private void mail(FuzzyCheck rules, byte[] bytes) {
        LearnReport rehearsed = rules.rehearse(bytes, LearnRequest.add(flag, 1)).join();
        rehearsed.failure().filter(failure -> rehearsed.rules().isEmpty())
                .ifPresent(failure -> say(false, "the mail can be learned", failure.message()));
        for (LearnReport.RuleOutcome rule : rehearsed.rules()) {
            say(rule.decision() == LearnReport.Decision.LEARNS, "rule " + rule.rule() + " learns the mail ("
                    + Reports.count(rule.digests().size(), "hash") + ")",
                    rule.reason()
                            + (rule.decision() == LearnReport.Decision.NO_HASHES
                                    ? ": weir explain shows why its parts have none"
                                    : ""));
        }
        ScanResult scanned = rules.check(bytes, ScanContext.NONE).join();
        List<String> found = new ArrayList<>();
        scanned.symbols().forEach(symbol -> found.add(
                String.format(Locale.ROOT, "%s(%.2f)", symbol.name(), symbol.score())));
        scanned.failures().forEach(failure -> say(false, "rule " + failure.rule() + " checks the mail",
                failure.message()));
        if (scanned.complete() || !found.isEmpty()) {
            terminal.out().println("--  a check of the mail gives: "
                    + (found.isEmpty() ? "no symbol" : String.join(", ", found)));
        }
    }

    private void say(Doctor.Finding finding) {
        if (finding.state() == Doctor.State.UNTESTED) {
            terminal.out().println("--  " + finding.what());
        } else {
            say(finding.state() == Doctor.State.HOLDS, finding.what(), finding.advice());
        }
    }

    private void say(boolean right, String what, String otherwise) {
        healthy &= right;
        terminal.out().println(right ? "ok  " + what : "NO  " + what + ": " + otherwise);
    }
}
