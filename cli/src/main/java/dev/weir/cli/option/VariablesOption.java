package dev.weir.cli.option;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import picocli.CommandLine.Option;

/** The option that sets variables of a configuration, as Rspamd's does. */
public final class VariablesOption {
    @Option(names = "--var", paramLabel = "NAME=VALUE",
            description = "Set a variable of the configuration, such as DBDIR=/srv/rspamd; repeatable.")
    private Map<String, String> values = new LinkedHashMap<>();

    /** Refuses variables without a configuration, because they would have no effect. */
    public void refuseAlone() {
        if (!values.isEmpty()) {
            throw new FailedException(ExitCode.USAGE, "--var sets a variable of a configuration: give --config");
        }
    }

    /** Returns the variables by name. */
    public Map<String, String> values() {
        return values;
    }
}
