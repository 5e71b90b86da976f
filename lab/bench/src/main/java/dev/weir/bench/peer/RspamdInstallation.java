package dev.weir.bench.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The files of an installed Rspamd.
 *
 * @param program path or name of the program
 * @param share   folder of its Lua code and tables
 * @param etc     folder of its stock configuration
 */
public record RspamdInstallation(String program, Path share, Path etc) {
    /** Returns the installation below a prefix such as {@code /opt/rspamd4}, or for null that of the system. */
    public static RspamdInstallation at(@Nullable Path prefix) {
        return prefix == null
                ? new RspamdInstallation("rspamd", Path.of("/usr/share/rspamd"), Path.of("/etc/rspamd"))
                : new RspamdInstallation(prefix.resolve("bin/rspamd").toString(), prefix.resolve("share/rspamd"),
                        prefix.resolve("etc"));
    }

    /** Returns the arguments that tell the program where its files are, and to keep data in {@code folder}. */
    public List<String> variables(Path folder) {
        List<String> variables = new ArrayList<>();
        for (String name : List.of("DBDIR", "RUNDIR", "LOGDIR", "LOCAL_CONFDIR")) {
            variables.add("--var=" + name + "=" + folder);
        }
        variables.add("--var=CONFDIR=" + etc);
        variables.add("--var=SHAREDIR=" + share);
        for (String name : List.of("plugins", "rules", "lualib")) {
            variables.add("--var=" + name.toUpperCase(Locale.ROOT) + "DIR=" + share.resolve(name));
        }
        return variables;
    }
}
