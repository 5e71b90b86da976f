package dev.weir.storage.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.config.Configuration;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclObject;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StreamLimits;

/**
 * Reads {@code worker "fuzzy"} (spec/storage.md section 6). Every option of the table has its effect, or is refused with
 * the reason; nothing is passed over in silence. All errors are reported, not only the first.
 */
public final class WorkerSettings {
    private static final String NAME = "worker \"fuzzy\"";
    private static final OptionTable OPTIONS = OptionTable.shipped("worker-fuzzy");

    /** What cannot be done yet, with the reason that an operator is told. */
    private static final List<String> NOT_YET = List.of("delay", "delay_whitelist", "allow_update_keys",
            "dynamic_keys_map", "read_only", "blocked", "skip_hashes", "forbidden_ids", "weak_ids", "ratelimit_rate",
            "ratelimit_burst", "ratelimit_whitelist", "ratelimit_max_buckets", "ratelimit_network_mask",
            "ratelimit_bucket_ttl", "ratelimit_log_only");

    /** What only Rspamd's other backend needs. */
    private static final List<String> REDIS = List.of("prefix", "servers", "read_servers", "write_servers", "db",
            "username", "password", "timeout");

    private final Section section;
    private final Problems problems;
    private final SourceFiles files;

    private WorkerSettings(Section section, Problems problems, SourceFiles files) {
        this.section = section;
        this.problems = problems;
        this.files = files;
    }

    /**
     * What a configuration says about the storage.
     *
     * @param files for lists that stand in files of their own
     * @param problems is told all errors and warnings; with an error the result is not to be used
     * @return nothing if there was no sense in reading on; the problems tell why
     */
    public static Optional<StorageConfig> read(Configuration configuration, SourceFiles files, Problems problems) {
        List<UclObject> workers = configuration.workers("fuzzy");
        Origin top = new Origin(configuration.file(), 1, 1);
        if (workers.isEmpty()) {
            problems.error(top, "there is no " + NAME + " in this configuration");
            return Optional.empty();
        }
        if (workers.size() > 1) {
            problems.error(workers.get(1).origin(), "a second " + NAME
                    + ": one storage is served by one process; write the other one into a configuration of its own");
            return Optional.empty();
        }
        Section section = Section.of(workers.getFirst(), NAME, OPTIONS, problems);
        StorageConfig config = new WorkerSettings(section, problems, files).read();
        section.finish();
        return Optional.of(config);
    }

    private StorageConfig read() {
        section.string("type");
        if (!section.bool("enabled").orElse(true)) {
            section.refuse("enabled", "the storage is switched off here");
        }
        backend();
        StorageConfig config = StorageConfig.of(folder()).withWorkers(workers())
                .withExpire(section.seconds("expire").orElseThrow())
                .withSync(section.seconds("sync", Duration.ofMillis(1), Duration.ofDays(1)).orElseThrow())
                .withEncryptedOnly(section.bool("encrypted_only").orElse(false))
                .withKeyPairs(new KeySettings(problems).read(section.sections("keypair", KeySettings.OPTIONS)));
        config = config.withListen(listen(config.listen()));
        if (config.encryptedOnly() && config.keyPairs().isEmpty()) {
            section.refuse("encrypted_only", "needs a keypair: without one nobody could ask anything");
        }
        ignored();
        return config.withAllowUpdate(new NetworkSettings(files, problems).read(section, "allow_update"));
    }

    /** What this storage does in another way than Rspamd, so that the option changes nothing. */
    private void ignored() {
        section.integer("keypair_cache_size", 0, Integer.MAX_VALUE);
        section.integer("updates_maxfail", 0, Integer.MAX_VALUE);
        section.bool("dedicated_update_worker");
        for (String option : NOT_YET) {
            if (section.has(option)) {
                section.refuse(option, "this storage cannot do that yet, and without it would do something else than"
                        + " the configuration says");
            }
        }
        for (String option : REDIS) {
            if (section.has(option)) {
                section.refuse(option, "it is about the Redis backend, which this storage does not have");
            }
        }
    }

    private void backend() {
        String backend = section.string("backend").orElse("sqlite");
        if (!backend.equals("sqlite")) {
            section.refuse("backend", "\"" + backend + "\" is not a backend of this storage: write \"sqlite\""
                    + (backend.equals("redis") ? " and bring the hashes over with weir import redis://HOST" : ""));
        }
    }

    private int workers() {
        long count = section.integer("count", -1, StorageConfig.MAX_WORKERS).orElse(-1);
        // Rspamd's own files switch its storage off so; whoever starts this one wants it.
        return count <= 0 ? StorageConfig.defaultWorkers() : (int) count;
    }

    private Path folder() {
        Optional<String> database = section.string("hashfile");
        if (database.isEmpty()) {
            problems.error(section.origin(),
                    NAME + " needs hash_file, the place of the database, such as \"/var/lib/weir/"
                            + StorageConfig.DATABASE + "\"");
            return Path.of("");
        }
        Path file = Path.of(database.get());
        Path folder = file.toAbsolutePath().getParent();
        Path name = file.getFileName();
        if (folder == null || name == null || !name.toString().equals(StorageConfig.DATABASE)) {
            section.refuse("hashfile", "the database of this storage is called " + StorageConfig.DATABASE
                    + " and is in a folder of its own with the update log; bring another file over with weir import");
            return Path.of("");
        }
        return folder;
    }

    private Listen listen(Listen usual) {
        Duration idle = section.seconds("tcp_timeout", Duration.ofMillis(1), Duration.ofDays(1)).orElseThrow();
        StreamLimits limits = usual.streams();
        Listen listen = usual.withStreams(new StreamLimits(limits.connections(), limits.perAddress(), limits.connect(),
                idle, limits.request(), limits.bytes()));
        List<Bind> binds = new ArrayList<>();
        for (String text : section.strings("bind_socket")) {
            BindAddress.parse(text, message -> section.refuse("bind_socket", message))
                    .ifPresent(address -> binds.add(new Bind.Inet(address)));
        }
        return binds.isEmpty() ? listen : listen.withBinds(binds);
    }
}
