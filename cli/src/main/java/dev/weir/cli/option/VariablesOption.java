package dev.weir.cli.option;

import java.util.LinkedHashMap;
import java.util.Map;

import picocli.CommandLine.Option;

/** The option that sets variables of a configuration, as Rspamd's does. */
public final class VariablesOption {
    @Option(names = "--var", paramLabel = "NAME=VALUE",
            description = "Set a variable of the configuration, such as DBDIR=/srv/rspamd; repeatable.")
    private Map<String, String> values = new LinkedHashMap<>();

    /** Returns the variables by name. */
    public Map<String, String> values() {
        return values;
    }
}
