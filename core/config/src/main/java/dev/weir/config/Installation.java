package dev.weir.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

import dev.weir.config.template.TemplateContext;
import dev.weir.config.ucl.Variables;

/**
 * The facts about the machine that configuration files may refer to: folders, the host name, the Rspamd version, and
 * the environment (docs/reference/configuration-language.md#variables).
 *
 * @param folders the value of each path variable, such as {@code DBDIR}
 * @param hostname the value of {@code $HOSTNAME}
 * @param environment the environment of the process; templates see {@code RSPAMD_X} as {@code env.X}
 */
public record Installation(SequencedMap<String, String> folders, String hostname, Map<String, String> environment) {
    /** The Rspamd release whose configuration language and defaults Weir follows. */
    public static final String RSPAMD_VERSION = "4.1.6";

    private static final String ENVIRONMENT_PREFIX = "RSPAMD_";

    /** Copies the maps. */
    public Installation {
        folders = new LinkedHashMap<>(folders);
        environment = Map.copyOf(environment);
    }

    /**
     * Returns the folders of Debian's package.
     *
     * @param confdir the folder of {@code rspamd.conf}, which is also the parent of {@code local.d} and
     *            {@code override.d}
     */
    public static Installation debian(String confdir, String hostname, Map<String, String> environment) {
        SequencedMap<String, String> folders = new LinkedHashMap<>();
        folders.put("CONFDIR", confdir);
        folders.put("LOCAL_CONFDIR", confdir);
        folders.put("RUNDIR", "/run/rspamd");
        folders.put("DBDIR", "/var/lib/rspamd");
        folders.put("LOGDIR", "/var/log/rspamd");
        folders.put("PLUGINSDIR", "/usr/share/rspamd/plugins");
        folders.put("SHAREDIR", "/usr/share/rspamd");
        folders.put("RULESDIR", "/usr/share/rspamd/rules");
        folders.put("WWWDIR", "/usr/share/rspamd/www");
        folders.put("PREFIX", "/usr");
        return new Installation(folders, hostname, environment);
    }

    /** Returns a copy with one variable added or replaced, as for {@code --var NAME=VALUE}. */
    public Installation with(String name, String value) {
        SequencedMap<String, String> more = new LinkedHashMap<>(folders);
        more.put(name, value);
        return new Installation(more, hostname, environment);
    }

    /** Returns the variables of UCL. */
    Variables variables() {
        SequencedMap<String, String> all = new LinkedHashMap<>(folders);
        // Longer names come first, because a reference takes the first name that it begins with.
        String[] parts = RSPAMD_VERSION.split("\\.", -1);
        all.putIfAbsent("VERSION_MAJOR", parts[0]);
        all.putIfAbsent("VERSION_MINOR", parts[1]);
        all.putIfAbsent("VERSION", RSPAMD_VERSION);
        all.putIfAbsent("BRANCH_VERSION", parts[0] + "." + parts[1]);
        all.putIfAbsent("HOSTNAME", hostname);
        return Variables.of(all);
    }

    /** Returns the names that templates see. */
    TemplateContext template() {
        Map<String, String> env = new LinkedHashMap<>();
        String[] parts = RSPAMD_VERSION.split("\\.", -1);
        env.put("hostname", hostname);
        env.put("version", RSPAMD_VERSION);
        env.put("ver_major", parts[0]);
        env.put("ver_minor", parts[1]);
        env.put("ver_id", "release");
        env.put("ver_num", "0x" + parts[0] + parts[1] + parts[2]);
        environment.forEach((name, value) -> {
            if (name.startsWith(ENVIRONMENT_PREFIX) && name.length() > ENVIRONMENT_PREFIX.length()) {
                env.put(name.substring(ENVIRONMENT_PREFIX.length()), value);
            }
        });
        return TemplateContext.of(env, folders);
    }
}
