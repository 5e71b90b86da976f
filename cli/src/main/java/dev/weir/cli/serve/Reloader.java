package dev.weir.cli.serve;

import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.weir.cli.config.ConfigFile;
import dev.weir.config.map.MapAddress;
import dev.weir.http.control.StorageCommands.Reloaded;
import dev.weir.http.settings.HttpSettings;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.model.failure.Reason;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.StorageException;
import dev.weir.storage.server.LastingTask;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.settings.WorkerSettings;
import dev.weir.trap.settings.TrapSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reloader of the configuration of a running storage. It reads the whole configuration on request, and the lists in
 * separate files (maps, dynamic keys) when they change. An invalid configuration changes nothing, and the log gives the
 * reason.
 */
final class Reloader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);
    private static final int LOOK_SECONDS = 5;
    /** The time between two requests for a list on a web server. */
    private static final int FETCH_SECONDS = 300;
    /**
     * The number of looks after which an unusable list is read again even if it is unchanged. By then, a host name in
     * it may have an address.
     */
    static final int LOOKS_UNTIL_RETRY = 12;

    private final StorageServer server;
    private final StorageConfig started;
    private final Scan scan;
    private final String path;
    private final Map<String, String> variables;
    private final ScheduledExecutorService looks = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("weir-maps").factory());
    /** Replaced under the lock, and read without it: a page must not wait for a reload, which asks other machines. */
    private volatile ConfigFile current;
    /** The settings of the storage that are in force. */
    private StorageConfig latest;
    /** The rules of the last configuration that had any; empty before the first one. */
    private Optional<FuzzyCheckSettings> latestRules = Optional.empty();
    private Map<String, String> seen;
    /** Looks since the last failed attempt; negative if the last attempt succeeded. */
    private int looksSinceFailure = -1;
    /** The messages of the last failure. A failure with the same messages is not logged again. */
    private List<String> told = List.of();

    /**
     * The scanner.
     *
     * @param side empty if neither HTTP nor the milter nor traps run
     * @param http whether the command line leaves HTTP on
     * @param placesGiven whether the command line gives the addresses of HTTP
     */
    record Scan(Optional<ScanSide> side, boolean http, boolean placesGiven) {
        /** Returns the addresses that rules must fit: those in force, and those of the next start. */
        List<SocketAddress> listening(List<SocketAddress> configured) {
            Optional<HttpSettings> inForce = side.flatMap(ScanSide::httpSettings);
            if (inForce.isEmpty()) {
                return configured;
            }
            List<SocketAddress> all = new ArrayList<>(inForce.get().binds());
            if (!placesGiven) {
                all.addAll(configured);
            }
            return all;
        }
    }

    /**
     * Creates a reloader and starts to watch the lists.
     *
     * @param started the settings that the storage started with
     * @param current the configuration that the storage and HTTP started with
     */
    Reloader(StorageServer server, StorageConfig started, Scan scan, String path,
            Map<String, String> variables, ConfigFile current) {
        this.server = server;
        this.started = started;
        this.scan = scan;
        this.path = path;
        this.variables = Map.copyOf(variables);
        this.current = current;
        this.latest = started;
        // Not their states now: what changed since they were read, as while the hashes were loaded, must be read again.
        this.seen = current.statesRead();
        // The task ends with the executor, so nothing waits for its future.
        var _ = looks.scheduleWithFixedDelay(
                new LastingTask("looking for changed lists", this::look, () -> server.count(Counter.TASK_FAILED)),
                LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        var _ = looks.scheduleWithFixedDelay(
                new LastingTask("fetching lists", this::fetch, () -> server.count(Counter.TASK_FAILED)),
                FETCH_SECONDS, FETCH_SECONDS, TimeUnit.SECONDS);
    }

    /** Reads the whole configuration again. */
    synchronized Reloaded reload() {
        told = List.of();
        return apply(() -> current.reread(path, variables), "the configuration " + path);
    }

    /** Fetches the lists from web servers, without the lock: a slow server must not delay a reload. */
    private void fetch() {
        current.refreshLists();
    }

    /** Returns the places of the lists of dynamic keys. */
    List<MapAddress> keyFiles() {
        return current.configuration().map(WorkerSettings::dynamicKeyFiles).orElse(List.of());
    }

    /** Reads the lists again after one of them was edited. Returns the reasons if they are not in force. */
    synchronized List<String> refresh() {
        told = List.of();
        Reloaded reloaded = apply(() -> current.again(), "a list of " + path);
        return reloaded.done() ? List.of() : reloaded.messages();
    }

    /**
     * Returns the plan of another run in this process: the same, with the settings that are in force now. Settings that
     * take effect at the next start of the process are not among them.
     *
     * @param plan what this run did
     */
    synchronized StorageProcess.Plan planInForce(StorageProcess.Plan plan) {
        Optional<StorageProcess.Http> http = plan.http()
                .map(started -> new StorageProcess.Http(
                        scan.side().flatMap(ScanSide::httpSettings).orElse(started.settings()), started.required(),
                        started.placesGiven()));
        return new StorageProcess.Plan(latest, plan.hasher(), http,
                plan.milter().map(started -> scan.side().flatMap(ScanSide::milterSettings).orElse(started)),
                plan.traps().map(started -> scan.side().flatMap(ScanSide::trapSettings).orElse(started)),
                latestRules.or(plan::rules), plan.controls(),
                plan.reload().map(reload -> new StorageProcess.Reload(reload.path(), reload.variables(), current)),
                plan.drain());
    }

    /** Reads the lists again if one has changed or a retry is due. */
    synchronized void look() {
        Map<String, String> now = current.statesNow();
        boolean retry = looksSinceFailure >= 0 && ++looksSinceFailure >= LOOKS_UNTIL_RETRY;
        if (!now.equals(seen) || retry) {
            seen = now;
            apply(() -> current.again(), "a list of " + path);
        }
    }

    /** Keeps the configuration in force after any failure. */
    private Reloaded apply(Supplier<ConfigFile> reading, String what) {
        List<String> messages = new ArrayList<>();
        boolean done = false;
        Optional<RuntimeException> defect = Optional.empty();
        try {
            ConfigFile fresh = reading.get();
            done = replace(fresh, messages);
            if (!done && fresh.refuseLists()) {
                done = replace(reading.get(), messages);
            }
        } catch (StorageException | IllegalArgumentException e) {
            messages.add(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            messages.add("internal error: " + Reason.of(e));
            defect = Optional.of(e);
        }
        if (done) {
            looksSinceFailure = -1;
            told = List.of();
            LOG.info("{} was read again and is in force", what);
            messages.forEach(LOG::warn);
        } else {
            looksSinceFailure = 0;
            server.count(Counter.RELOAD_FAILED);
            messages.addFirst(what + " cannot be used; nothing was changed");
            if (!messages.equals(told)) {
                told = List.copyOf(messages);
                messages.forEach(LOG::warn);
                defect.ifPresent(e -> LOG.error("internal error", e));
            }
        }
        return new Reloaded(done, messages);
    }

    /** Puts the new configuration in force. Returns false and changes nothing if it has errors. */
    private boolean replace(ConfigFile fresh, List<String> messages) throws StorageException {
        Optional<StorageConfig> config = fresh.storage();
        ScanSide.Settings settings = new ScanSide.Settings(
                scan.http() ? fresh.http(scan::listening) : Optional.empty(), fresh.milter(), fresh.traps());
        Optional<FuzzyCheckSettings> rules = scan.http() || settings.milter().isPresent()
                || settings.traps().isPresent()
                        ? fresh.rules()
                        : Optional.empty();
        fresh.problems().forEach(problem -> messages.add(problem.toString()));
        if (fresh.hasErrors() || config.isEmpty() || !fits(config.get(), messages)) {
            return false;
        }
        replace(config.get(), settings, rules, messages);
        current = fresh;
        fresh.acceptLists();
        latest = latest.replacedBy(config.get());
        latestRules = rules.or(() -> latestRules);
        seen = fresh.statesRead();
        return true;
    }

    /**
     * Returns whether the rules are safe at the addresses that the storage listens on until the next start. Rules
     * written for a loopback address may allow updates from anyone.
     */
    private boolean fits(StorageConfig config, List<String> messages) {
        boolean fits = !isLocal(config) || isLocal(started);
        if (!fits) {
            messages.add(
                    "bind_socket of worker \"fuzzy\" is for this machine only, but until the next start the storage"
                            + " listens on " + inForce("bind_socket")
                            + ", and these rules may be unsafe there: restart it");
        }
        return fits;
    }

    private static boolean isLocal(StorageConfig config) {
        return config.listen().binds().stream().allMatch(ServeCommand::isLocal);
    }

    /** Applies all changes or none. Every step that can fail precedes the first change. */
    private void replace(StorageConfig config, ScanSide.Settings asked, Optional<FuzzyCheckSettings> rules,
            List<String> messages) throws StorageException {
        Optional<HttpSettings> http = scan.side().flatMap(ScanSide::httpSettings);
        Optional<MilterSettings> milter = scan.side().flatMap(ScanSide::milterSettings);
        compare("worker \"controller\": HTTP", asked.http(), http, messages);
        compare("worker \"milter\": the milter", asked.milter(), milter, messages);
        Optional<TrapSettings> traps = scan.side().flatMap(ScanSide::trapSettings);
        compare("worker \"trap\": traps", asked.traps(), traps, messages);
        comparePlaces("trap", asked.traps().map(Reloader::doors), traps.map(Reloader::doors), messages);
        if (asked.traps().isPresent() && traps.isPresent() && !asked.traps().get().tls().equals(traps.get().tls())) {
            messages.add("ssl_cert of worker \"trap\"" + later(traps.get().tls()
                    .map(files -> files.certificate().toString()).orElse("none")));
        }
        if (!scan.placesGiven()) {
            comparePlaces("controller", asked.http().map(HttpSettings::binds), http.map(HttpSettings::binds), messages);
        }
        comparePlaces("milter", asked.milter().map(MilterSettings::binds), milter.map(MilterSettings::binds), messages);
        if (scan.side().isEmpty()) {
            configureStorage(config, messages);
            return;
        }
        ScanSide side = scan.side().get();
        FuzzyCheckSettings next = rules.or(() -> ScanSide.ownRule(server, config)).orElseGet(() -> {
            messages.add("fuzzy_check is missing now: the old rules stay in force until the next start");
            return side.rules();
        });
        try (ScanSide.Change change = side.prepare(asked, next)) {
            configureStorage(config, messages);
            change.apply();
        }
    }

    /** Reports a service that a reload can neither start nor stop. */
    private static <S> void compare(String service, Optional<S> asked, Optional<S> inForce, List<String> messages) {
        if (asked.isPresent() && inForce.isEmpty()) {
            messages.add(service + " is off; it starts at the next start of the storage");
        } else if (asked.isEmpty() && inForce.isPresent()) {
            messages.add(service + " keeps its settings; it is off from the next start on");
        }
    }

    private static List<SocketAddress> doors(TrapSettings traps) {
        List<SocketAddress> doors = new ArrayList<>(traps.smtp());
        doors.addAll(traps.lmtp());
        return doors;
    }

    private static void comparePlaces(String worker, Optional<List<SocketAddress>> asked,
            Optional<List<SocketAddress>> inForce, List<String> messages) {
        if (asked.isPresent() && inForce.isPresent() && !asked.equals(inForce)) {
            messages.add("bind_socket of worker \"" + worker + "\"" + later(ScanSide.places(inForce.get())));
        }
    }

    private void configureStorage(StorageConfig config, List<String> messages) throws StorageException {
        server.reconfigure(config).forEach(option -> messages.add(option + later(inForce(option))));
    }

    private static String later(String inForce) {
        return ": the change takes effect at the next start; until then it is " + inForce;
    }

    /** Returns the value in force of an option that only takes effect at a start. */
    private String inForce(String option) {
        return switch (option) {
            case "count" -> Integer.toString(started.workers());
            case "hashfile" -> started.dataDir().toString();
            case "backend" -> started.nodes().shared() != null
                    ? started.nodes().shared().toString()
                    : started.data().backend().toString().toLowerCase(Locale.ROOT);
            case "mirror_database" -> started.data().mirror() == null ? "none" : started.data().mirror().toString();
            case "acknowledge" -> started.writing().acknowledge().toString().toLowerCase(Locale.ROOT);
            case "max_log" -> started.writing().log().maxBytes() + " bytes";
            default -> started.listen().binds().stream().map(Object::toString).collect(Collectors.joining(", "));
        };
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
