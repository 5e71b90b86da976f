package dev.weir.cli.client;

import java.util.Set;

import dev.weir.cli.option.HashOptions;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.MailHasher;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.Scanner;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The options of commands that work on mails: one storage, or the rules of a configuration, and how mails are hashed.
 */
public final class TargetOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Mixin
    private StorageOptions storage = new StorageOptions();

    @Mixin
    private HashOptions hashing = new HashOptions();

    @Mixin
    private RulesOption rules = new RulesOption();

    /** Returns whether the rules of a configuration are the target. */
    public boolean byRules() {
        return rules.isGiven();
    }

    /** Opens the target and runs the work for that kind of target. */
    public int use(Terminal terminal, ClientWork<Scanner> direct, ClientWork<FuzzyCheck> byRules) {
        rules.refuseUseless(command, Set.of(StorageOptions.class, HashOptions.class));
        MailHasher hasher = hashing.hasher();
        if (!rules.isGiven()) {
            return storage.use(client -> direct.run(new Scanner(client, hasher, hashing.rule())));
        }
        return rules.use(terminal, hasher, byRules);
    }
}
