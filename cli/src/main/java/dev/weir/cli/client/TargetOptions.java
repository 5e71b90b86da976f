package dev.weir.cli.client;

import java.util.Set;
import java.util.function.ToIntFunction;

import dev.weir.cli.option.HashOptions;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.RecommendedKinds;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The options of commands that work on mails: one storage, or the rules of a configuration, and how mails are hashed.
 */
public final class TargetOptions {
    private static final int MAX_FLAG = 255;

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

    /** Returns the greatest flag that a command without rules may name. */
    public int mostFlag() {
        return hashing.isRecommended() ? RecommendedKinds.MOST_FLAG : MAX_FLAG;
    }

    /** Returns the use of kinds without rules. */
    public KindOptions kindOptions() {
        return hashing.kindOptions();
    }

    /** Opens the target and runs the work for that kind of target. */
    public int use(Terminal terminal, ToIntFunction<OneStorage> direct, ToIntFunction<FuzzyCheck> byRules) {
        rules.refuseUseless(command, Set.of(StorageOptions.class, HashOptions.class));
        MailHasher hasher = hashing.hasher();
        if (!rules.isGiven()) {
            // Only rules send side hashes of HTML.
            HashRule rule = hashing.rule().toBuilder().htmlSides(false).build();
            try (OneStorage client = storage.open(hasher, rule, hashing.kindOptions())) {
                return direct.applyAsInt(client);
            }
        }
        return rules.use(terminal, hasher, byRules);
    }
}
