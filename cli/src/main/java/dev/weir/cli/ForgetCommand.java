package dev.weir.cli;

import java.util.List;
import java.util.concurrent.Callable;

import dev.weir.scan.HashOutcome;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.Scanner;
import dev.weir.scan.StorageClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code weir forget}. */
@Command(name = "forget", mixinStandardHelpOptions = true, description = "Takes the hashes of mails off a list of a storage.", exitCodeListHeading = "%nExit status:%n", exitCodeList = {
    "0:all of it was done and confirmed",
    "2:the command line is wrong",
    "3:something could not be read, is no mail or has no hash",
    "4:the storage refused",
    "5:the storage did not answer"})
final class ForgetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private StorageOptions storageOptions = new StorageOptions();

    @Mixin
    private HashOptions hashOptions = new HashOptions();

    @Mixin
    private UpdateOptions updateOptions = new UpdateOptions();

    @Mixin
    private RulesOption rules = new RulesOption();

    @Parameters(arity = "1..*", paramLabel = "FILE|DIR|-", description = "Mails, folders of mails, or - for one mail.")
    private List<String> names = List.of();

    ForgetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (rules.isGiven()) {
            final LearnRequest request = updateOptions.deleting();
            try (RulesOption.Client client = rules.open(terminal, hashOptions.hasher())) {
                return new MailBatch<LearnReport>(terminal, "forgetting",
                        mail -> client.rules().learn(mail, request).join(),
                        (file, report) -> RuleReports.learned(terminal, file, report, updateOptions.json()))
                        .run(names).status();
            }
        }
        final int flag = updateOptions.flag();
        try (StorageClient storage = storageOptions.open()) {
            final Scanner scanner = new Scanner(storage, hashOptions.hasher(), hashOptions.rule());
            return new MailBatch<List<HashOutcome>>(terminal, "forgetting", mail -> scanner.forget(mail, flag),
                    (file, outcomes) -> updateOptions.report(terminal, file, "forgotten", outcomes)).run(names)
                    .status();
        }
    }
}
