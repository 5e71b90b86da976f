package dev.weir.cli;

import java.security.SecureRandom;
import java.util.concurrent.Callable;

import dev.weir.wire.KeyPair;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir keypair}: a new key pair in the form that Rspamd's configuration takes. */
@Command(name = "keypair", mixinStandardHelpOptions = true, description = {
    "Prints a new key pair for encrypted requests, as rspamadm keypair does.",
    "Keep it in a file that only the storage may read; clients get the pubkey."})
final class KeypairCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = {"-j", "--json"}, description = "Print JSON.")
    private boolean json;

    @Option(names = {"-u", "--ucl"}, description = "Print UCL (the default).")
    private boolean ucl;

    KeypairCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (json && ucl) {
            throw new FailedException(ExitCode.USAGE, "--json and --ucl exclude each other");
        }
        final KeyPair pair = KeyPair.generate(new SecureRandom());
        terminal.out().print(json ? pair.toJson() : pair.toUcl());
        return ExitCode.OK;
    }
}
