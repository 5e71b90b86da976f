package dev.weir.storage.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.config.Configuration;
import dev.weir.config.map.MapAddress;
import dev.weir.config.map.MapSource;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.lua.LuaSource;
import dev.weir.lua.hooks.StorageHooks.OnError;
import dev.weir.storage.DataFolder;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.hooks.HookScript;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.stream.StreamLimits;
import dev.weir.storage.shared.SharedSettings;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code worker "fuzzy"} (docs/reference/storage.md#options). Every option of the table has its effect, or is
 * refused with the reason; nothing is passed over in silence. All errors are reported, not only the first.
 */
public final class WorkerSettings {
    private static final String NAME = "worker \"fuzzy\"";
    static final OptionTable OPTIONS = OptionTable.shipped("worker-fuzzy");

    private final Section section;
    private final Problems problems;
    private final SourceFiles files;
    private final UnnamedFolder data;
    private final Optional<Section> redis;

    /**
     * The folder of a storage whose configuration names no database.
     *
     * @param folder the folder
     * @param given whether the command line names it; if not, only a storage that Rspamd does not run may take it
     */
    public record UnnamedFolder(Path folder, boolean given) {}

    private WorkerSettings(Section section, Problems problems, SourceFiles files, UnnamedFolder data,
            Optional<Section> redis) {
        this.section = section;
        this.redis = redis;
        this.problems = problems;
        this.files = files;
        this.data = data;
    }

    /**
     * Reads the settings of the storage from a configuration.
     *
     * @param files reads lists that have their own files
     * @param data the place of the storage if the configuration names none
     * @param problems receives all errors and warnings; do not use the result if there is an error
     * @return empty if reading had to stop, or if the storage is switched off; the problems give the reason
     */
    public static Optional<StorageConfig> read(Configuration configuration, SourceFiles files, UnnamedFolder data,
            Problems problems) {
        List<UclObject> workers = configuration.workers("fuzzy");
        Origin top = new Origin(configuration.file(), 1, 1);
        if (workers.isEmpty()) {
            problems.error(top, "there is no " + NAME + " in this configuration");
            return Optional.empty();
        }
        List<UclObject> candidates = candidates(workers);
        if (candidates.size() > 1) {
            problems.error(candidates.get(1).origin(), "a second " + NAME
                    + ": one process serves one storage; move the other one to a separate configuration");
            return Optional.empty();
        }
        UclObject worker = candidates.getFirst();
        if (isSwitchedOff(worker)) {
            problems.warning(worker.origin(), "the storage is switched off here by enabled = false");
            return Optional.empty();
        }
        workers.stream().filter(other -> !other.equals(worker)).forEach(other -> problems.warning(other.origin(),
                NAME + " is disabled here; the one at " + worker.origin() + " is used"));
        return Optional.of(
                read(Section.of(worker, NAME, OPTIONS, problems), files, data, redis(configuration, problems),
                        problems));
    }

    /** Returns the section that all parts of Rspamd find their Redis in, or the part of it for the storage. */
    private static Optional<Section> redis(Configuration configuration, Problems problems) {
        return configuration.sections("redis").stream().findFirst().map(common -> {
            for (String name : List.of("fuzzy", "fuzzy_storage")) {
                if (!common.values(name).isEmpty() && common.values(name).getFirst() instanceof UclObject own) {
                    return own;
                }
            }
            return common;
        }).map(object -> Section.of(object, "redis", OPTIONS, problems));
    }

    /** Returns the active workers, or all if none is active. Rspamd's own files contain a disabled one. */
    private static List<UclObject> candidates(List<UclObject> workers) {
        List<UclObject> active = workers.stream()
                .filter(worker -> worker.values("count").stream()
                        .noneMatch(count -> count instanceof UclInteger number && number.value() <= 0))
                .filter(worker -> !isSwitchedOff(worker))
                .toList();
        return active.isEmpty() ? workers : active;
    }

    private static boolean isSwitchedOff(UclObject worker) {
        return worker.values("enabled").stream().anyMatch(enabled -> !Section.truth(enabled).orElse(true));
    }

    static StorageConfig read(Section section, SourceFiles files, UnnamedFolder data, Optional<Section> redis,
            Problems problems) {
        StorageConfig config = new WorkerSettings(section, problems, files, data, redis).read();
        section.finish();
        return config;
    }

    private StorageConfig read() {
        section.string("type");
        section.bool("enabled");
        long count = section.integer("count", -1, StorageConfig.MAX_WORKERS).orElse(1);
        // Rspamd's own files switch its storage off so; who starts this one wants it.
        boolean offInRspamd = count <= 0;
        if (offInRspamd) {
            problems.warning(section.originOf("count"), "\"count\" of " + NAME + " is " + count
                    + ", which keeps Rspamd's storage off; weir serve runs it, unless enabled = false stands here");
        }
        BackendKind backend = backend(offInRspamd);
        MapReader maps = new MapReader(files, problems);
        KeySettings keys = new KeySettings(problems);
        String acknowledge = section.choice("acknowledge", List.of("durable", "queued", "replicated", "shared"))
                .orElse("durable");
        StorageConfig config = place(offInRspamd)
                .withBackend(backend)
                .withWorkers(section.has("count") && !offInRspamd ? (int) count : StorageConfig.defaultWorkers())
                .withExpire(expire())
                .withSync(section.seconds("sync", Duration.ofMillis(1), Duration.ofDays(1)).orElseThrow())
                .withAccess(new AccessSettings(section, maps, problems).read(
                        keys.read(section.sections("keypair", KeySettings.OPTIONS)), dynamicKeys(maps, keys)))
                .withLog(log())
                .withAcknowledge(acknowledge.equals("queued") ? Acknowledge.QUEUED : Acknowledge.DURABLE)
                .withReplication(new NodeSettings(section, problems, keys).read(acknowledge.equals("replicated")));
        Optional<Path> mirror = section.path("mirror_database");
        if (mirror.isPresent()) {
            if (backend != BackendKind.STORE) {
                section.refuse("mirror_database", "only a store has a mirror: write backend = \"store\"");
            }
            config = config.withMirror(mirror.get());
        }
        config = config.withWaves(new WaveReader(section, maps, problems).read());
        config = config.withPush(new PushReader(section, maps, problems, keys).read());
        RedisSettings shared = new RedisSettings(section, redis, problems);
        if (isShared(offInRspamd)) {
            Optional<SharedSettings> wanted = shared.read(acknowledge.equals("shared"));
            if (wanted.isPresent()) {
                config = config.withShared(wanted.get());
            }
        } else {
            if (acknowledge.equals("shared")) {
                section.refuse("acknowledge", "\"shared\" needs backend = \"redis\"");
            }
            shared.ignore();
        }
        return config.withListen(listen(config.listen())).withHooks(hooks(maps));
    }

    /** Returns how long hashes are kept. Rspamd keeps them forever if the time is 0 or less. */
    private Duration expire() {
        Duration age = section.seconds("expire", Section.LONGEST_TIME.negated(), Section.LONGEST_TIME).orElseThrow();
        return age.isNegative() ? Duration.ZERO : age;
    }

    private boolean isShared(boolean offInRspamd) {
        return !offInRspamd && section.string("backend").orElse("sqlite").equals("redis");
    }

    private @Nullable HookScript hooks(MapReader maps) {
        OnError onError = section.choice("lua_errors", List.of("refuse", "continue")).orElse("refuse").equals("refuse")
                ? OnError.REFUSE
                : OnError.CONTINUE;
        return section.string("lua_script")
                .flatMap(file -> maps.text(new MapSource.Entry(file, section.originOf("lua_script")))
                        .map(text -> new HookScript(LuaSource.inline(file, text), onError)))
                .orElse(null);
    }

    private List<ServerKey> dynamicKeys(MapReader maps, KeySettings keys) {
        List<ServerKey> dynamic = new ArrayList<>();
        section.map("dynamic_keys_map").ifPresent(map -> {
            if (!map.entries().isEmpty()) {
                section.refuse("dynamic_keys_map", "expected the name of a file");
            }
            for (MapSource.Entry file : map.files()) {
                maps.list(file).flatMap(text -> keys.dynamic(file, text)).ifPresent(dynamic::addAll);
            }
        });
        return dynamic;
    }

    /** Returns the places of the files of dynamic keys that a configuration names. It reads none of them. */
    public static List<MapAddress> dynamicKeyFiles(Configuration configuration) {
        Problems unheard = new Problems();
        List<UclObject> workers = candidates(configuration.workers("fuzzy"));
        return workers.stream().limit(1)
                .flatMap(worker -> Section.of(worker, NAME, OPTIONS, unheard).map("dynamic_keys_map").stream())
                .flatMap(map -> map.files().stream())
                .flatMap(file -> MapAddress.parse(file.text()).stream()).toList();
    }

    private LogLimits log() {
        LogLimits usual = LogLimits.DEFAULT;
        long most = section.integer("max_log", 2L * usual.segmentBytes(), Long.MAX_VALUE).orElse(usual.maxBytes());
        return usual.withMost(most);
    }

    private BackendKind backend(boolean offInRspamd) {
        String backend = section.string("backend").orElse("sqlite");
        if (backend.equals("sqlite")) {
            return BackendKind.SQLITE;
        }
        if (backend.equals("store") || isShared(offInRspamd)) {
            return BackendKind.STORE;
        }
        if (offInRspamd) {
            // Rspamd's storage is off, so its backend is not a choice of the operator.
            problems.warning(section.originOf("backend"), "\"backend\" of " + NAME + " has no effect, because "
                    + "\"count\" keeps Rspamd's storage off; if Rspamd ever ran one, " + (backend.equals("redis")
                            ? "bring the hashes over with weir import redis://HOST, or write count = 1 to use them "
                                    + "where they are"
                            : "its hashes stay where they are"));
        } else {
            section.refuse("backend", "\"" + backend
                    + "\" is not a backend of this storage: write \"sqlite\", \"store\" or \"redis\"");
        }
        return BackendKind.SQLITE;
    }

    /** Returns a storage with its database in the folder that the configuration names. */
    private StorageConfig place(boolean offInRspamd) {
        Optional<Path> database = section.path("hashfile");
        if (database.isEmpty()) {
            if (section.has("hashfile")) {
                return StorageConfig.of(Path.of(""));
            }
            if (data.given() || offInRspamd || isShared(offInRspamd)) {
                if (!data.given()) {
                    problems.warning(section.origin(), NAME + " names no hash_file: the data is in " + data.folder()
                            + "; --data chooses another folder");
                }
                return StorageConfig.of(data.folder());
            }
            problems.error(section.origin(),
                    NAME + " needs hash_file, the place of the database, such as \"/var/lib/weir/"
                            + DataFolder.DATABASE + "\", or --data DIR on the command line");
            return StorageConfig.of(Path.of(""));
        }
        if (data.given()) {
            section.refuse("hashfile", "--data names another place: leave one of them out");
        }
        Path file = database.get();
        Path folder = file.toAbsolutePath().getParent();
        Path name = file.getFileName();
        if (folder == null || name == null) {
            section.refuse("hashfile", "expected the name of a file, but found \"" + database.get() + "\"");
            return StorageConfig.of(Path.of(""));
        }
        if (!DataFolder.isFree(name.toString())) {
            section.refuse("hashfile", "the storage keeps something else under the name " + name
                    + " in the folder of the database: choose another name");
        }
        return StorageConfig.of(folder).withDatabase(name.toString());
    }

    private Listen listen(Listen usual) {
        Duration idle = section.seconds("tcp_timeout", Duration.ofMillis(1), Duration.ofDays(1)).orElseThrow();
        StreamLimits limits = usual.streams().withTimeout(idle);
        int connections = (int) section.integer("max_connections", 1, 1 << 20)
                .orElse(limits.connections());
        Listen listen = usual
                .withStreams(limits.withConnections(connections, Math.min(connections, limits.perAddress())));
        List<Bind> binds = new ArrayList<>();
        for (String text : section.strings("bind_socket")) {
            try {
                binds.add(BindAddress.parse(text));
            } catch (IllegalArgumentException e) {
                section.refuse("bind_socket", String.valueOf(e.getMessage()));
            }
        }
        if (binds.isEmpty()) {
            return listen;
        }
        if (binds.stream().noneMatch(Bind.Inet.class::isInstance)) {
            section.refuse("bind_socket", "a storage must listen on at least one network address beside its sockets, "
                    + "such as \"127.0.0.1:11335\"");
            return listen;
        }
        return listen.withBinds(binds);
    }
}
