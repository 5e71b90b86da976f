package dev.weir.cli.client;

import java.util.Set;
import java.util.function.ToIntFunction;

import dev.weir.cli.option.HashOptions;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.scan.FuzzyCheck;
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
    public int use(Terminal terminal, ToIntFunction<OneStorage> direct, ToIntFunction<FuzzyCheck> byRules) {
        rules.refuseUseless(command, Set.of(StorageOptions.class, HashOptions.class));
        MailHasher hasher = hashing.hasher();
        if (!rules.isGiven()) {
            // Only rules send side hashes of HTML.
            HashRule rule = hashing.rule().toBuilder().htmlSides(false).build();
            try (OneStorage client = storage.open(hasher, rule)) {
                return direct.applyAsInt(client);
            }
        }
        return rules.use(terminal, hasher, byRules);
    }
}
