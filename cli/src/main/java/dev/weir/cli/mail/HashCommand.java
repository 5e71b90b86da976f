package dev.weir.cli.mail;

import java.util.List;
import java.util.concurrent.Callable;

import dev.weir.cli.option.HashOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.scan.explain.Explanation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code weir hash}: a command that prints the hashes that a scanner would send to a storage. */
@Command(name = "hash", mixinStandardHelpOptions = true,
        description = "Prints the fuzzy hashes of mails, one JSON object for each mail, in the order in which "
                + "Rspamd sends them.",
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:every mail was hashed",
            "2:the command line is wrong",
            "3:a file could not be read or is not a mail"})
public final class HashCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private HashOptions hashOptions = new HashOptions();

    @Parameters(arity = "1..*", paramLabel = "FILE|DIR|-", description = "Mails, folders of mails, or - for one mail.")
    private List<String> names = List.of();

    public HashCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        MailHasher hasher = hashOptions.hasher();
        HashRule rule = hashOptions.rule();
        return new MailBatch<List<FuzzyHash>>(terminal, "hashing", mail -> hasher.hash(mail, rule), (file, hashes) -> {
            terminal.endUnlessRead();
            JsonLines.line(terminal.out(), json -> {
                json.writeStringProperty("file", file.toString());
                Explanation.writeHashes(json, hashes);
            });
            return ExitCode.OK;
        }).run(names).status();
    }
}
