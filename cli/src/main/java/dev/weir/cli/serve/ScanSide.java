package dev.weir.cli.serve;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.cli.terminal.Version;
import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.hash.MailHasher;
import dev.weir.http.HttpService;
import dev.weir.http.controller.MailService;
import dev.weir.http.controller.PooledMailService;
import dev.weir.http.controller.Route;
import dev.weir.http.data.DataRoutes;
import dev.weir.http.data.SamplingService;
import dev.weir.http.metrics.ScanPoolMetrics;
import dev.weir.http.metrics.StatisticsSource;
import dev.weir.http.metrics.StorageMetrics;
import dev.weir.http.page.PageFiles;
import dev.weir.http.server.ListenSockets;
import dev.weir.http.settings.HttpSettings;
import dev.weir.milter.MilterService;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.net.HostPort;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.lua.LuaConditions;
import dev.weir.scan.pool.ScanPool;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Trouble;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.Access;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.hits.WordSamples;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.trap.TrapService;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.smtp.TrapListeners;
import dev.weir.wire.key.PublicKey;

/** The scanner in the process of a storage, with its HTTP interface, its milter and its traps. */
final class ScanSide implements AutoCloseable {
    private final FuzzyCheck client;
    private final ScanPool pool;
    private final Optional<HttpService> http;
    private final Optional<MilterService> milter;
    private final Optional<TrapService> traps;
    private final Optional<DataRoutes> data;
    private final WordSamples samples;
    /** The scripts of the rules in force, and of older rules that mails in progress still use. */
    private final Set<LuaConditions> scripts = ConcurrentHashMap.newKeySet();
    private final AtomicReference<LuaConditions> inForce;

    private ScanSide(FuzzyCheck client, ScanPool pool, LuaConditions conditions, Optional<HttpService> http,
            Optional<MilterService> milter, Optional<TrapService> traps, Optional<DataRoutes> data,
            WordSamples samples) {
        this.client = client;
        this.pool = pool;
        this.samples = samples;
        this.http = http;
        this.milter = milter;
        this.traps = traps;
        this.data = data;
        this.scripts.add(conditions);
        this.inForce = new AtomicReference<>(conditions);
    }

    /**
     * A service to start.
     *
     * @param doors its listening sockets; the service closes them at the end
     */
    record Front<S>(S settings, ListenSockets doors) {}

    /** The traps to start, with their listening sockets; the service closes them at the end. */
    record TrapFront(TrapSettings settings, TrapListeners doors) {}

    /** What to start; at least one of them. */
    record Fronts(Optional<Front<HttpSettings>> http, Optional<Front<MilterSettings>> milter,
            Optional<TrapFront> traps) {}

    /** The settings of the services. An empty one keeps what is in force. */
    record Settings(Optional<HttpSettings> http, Optional<MilterSettings> milter, Optional<TrapSettings> traps) {}

    /** Rules and settings that are ready to take effect. Apply or close this once. */
    final class Change implements AutoCloseable {
        private final FuzzyCheck.Replacement rules;
        private final LuaConditions conditions;
        private final Settings settings;
        private boolean applied;

        private Change(FuzzyCheck.Replacement rules, LuaConditions conditions, Settings settings) {
            this.rules = rules;
            this.conditions = conditions;
            this.settings = settings;
        }

        /** Puts the rules and settings into force. Never fails. */
        void apply() {
            applied = true;
            scripts.add(conditions);
            LuaConditions old = inForce.getAndSet(conditions);
            http.ifPresent(service -> settings.http().ifPresent(asked -> {
                service.reconfigure(asked);
                samples.keepFor(asked.wordSamples());
            }));
            milter.ifPresent(service -> settings.milter().ifPresent(service::reconfigure));
            traps.ifPresent(service -> settings.traps().ifPresent(service::reconfigure));
            var _ = rules.apply().thenRunAsync(() -> {
                scripts.remove(old);
                old.close();
            });
        }

        @Override
        public void close() {
            if (!applied) {
                rules.close();
                conditions.close();
            }
        }
    }

    /**
     * Prepares other rules and settings beside those in force.
     *
     * @param settings the settings; their addresses do not take effect
     * @throws IllegalArgumentException if a rule has a learn condition or a key that cannot be used, or if the settings
     *         would let anyone in at the addresses in force
     */
    Change prepare(Settings settings, FuzzyCheckSettings rules) {
        http.ifPresent(service -> settings.http()
                .ifPresent(asked -> asked.withBinds(service.settings().binds()).requireGuard()));
        milter.ifPresent(service -> settings.milter()
                .ifPresent(asked -> asked.withBinds(service.settings().binds()).requireOpenDoor()));
        LuaConditions conditions = new LuaConditions();
        try {
            return new Change(client.prepare(rules, Optional.of(conditions)), conditions, settings);
        } catch (Throwable e) {
            conditions.close();
            throw e;
        }
    }

    /** Returns the settings of HTTP in force; empty if it is off. */
    Optional<HttpSettings> httpSettings() {
        return http.map(HttpService::settings);
    }

    /** Returns the settings of the milter in force; empty if it is off. */
    Optional<MilterSettings> milterSettings() {
        return milter.map(MilterService::settings);
    }

    /** Returns the settings of the traps in force; empty if they are off. */
    Optional<TrapSettings> trapSettings() {
        return traps.map(TrapService::settings);
    }

    /** Returns the rules in force. */
    FuzzyCheckSettings rules() {
        return client.settings();
    }

    /**
     * Starts to answer requests.
     *
     * @param hasher the hasher of mails
     * @param folder the data folder, for the retry queue
     * @param setup the configuration to show
     * @param further further figures for {@code /metrics}
     * @throws IOException if the folder cannot be written
     * @throws IllegalArgumentException if a rule has an invalid learn condition, or if the settings would let anyone in
     */
    static ScanSide start(Fronts fronts, FuzzyCheckSettings rules, MailHasher hasher, StorageServer storage,
            Path folder, Setup setup, StatisticsSource further) throws IOException {
        LuaConditions conditions = new LuaConditions();
        ScanPool pool = ScanPool.start();
        FuzzyCheck client;
        try {
            client = FuzzyCheck.open(rules, hasher, FuzzyCheckOptions.DEFAULT
                    .withExecutor(Runnable::run).withAfterwards(pool.afterwards())
                    .withRetryQueue(folder.resolve(DataFolder.LEARN_RETRIES))
                    .withConditions(conditions)
                    .withListener((digest, tag, submitter) -> storage.announce(digest, tag,
                            new UpdateSubmitter(submitter.client(), submitter.credential(), submitter.user(),
                                    submitter.messageId()))));
        } catch (Throwable e) {
            pool.close();
            conditions.close();
            throw e;
        }
        client.queueDamage().ifPresent(why -> storage.report(
                new Trouble("the file " + DataFolder.LEARN_RETRIES + " is damaged", why)));
        StorageMetrics figures = new StorageMetrics(storage::stats);
        Optional<DataRoutes> data = fronts.http().map(_ -> new DataRoutes(storage, client, figures, setup));
        fronts.http().ifPresent(front -> storage.samples().keepFor(front.settings().wordSamples()));
        MailService mails = new SamplingService(MailService.of(client), hasher, storage.samples(),
                pool.lane(ScanPool.Source.AFTERWARDS)::execute);
        Optional<TrapService> baits = Optional.empty();
        try {
            if (fronts.traps().isPresent()) {
                TrapFront front = fronts.traps().get();
                baits = Optional.of(TrapService.open(front.settings(), front.doors(), client,
                        pool.lane(ScanPool.Source.TRAP), folder.resolve(DataFolder.TRAPS)));
                baits.flatMap(TrapService::damage).ifPresent(why -> storage.report(
                        new Trouble("the file " + DataFolder.TRAPS + " is damaged", why)));
            }
            Optional<MilterService> filter = fronts.milter()
                    .map(front -> MilterService.of(front.settings(), front.doors(),
                            new PooledMailService(mails, pool.lane(ScanPool.Source.MILTER))::check));
            StatisticsSource filtered = filter.<StatisticsSource>map(service -> service::metrics)
                    .orElse(StatisticsSource.NONE);
            List<Route> routes = new ArrayList<>(PageFiles.routes());
            data.ifPresent(shown -> routes.addAll(shown.routes()));
            baits.ifPresent(traps -> routes.addAll(traps.routes()));
            StatisticsSource baited = baits.<StatisticsSource>map(traps -> traps::metrics)
                    .orElse(StatisticsSource.NONE);
            Optional<HttpService> service = fronts.http()
                    .map(front -> HttpService.of(front.settings(),
                            new PooledMailService(mails, pool.lane(ScanPool.Source.HTTP)),
                            figures.and(new ScanPoolMetrics(pool)).and(filtered).and(baited).and(further), figures,
                            Version.number(), routes));
            service.ifPresent(started -> started.start(fronts.http().orElseThrow().doors()));
            filter.ifPresent(MilterService::start);
            baits.ifPresent(TrapService::start);
            return new ScanSide(client, pool, conditions, service, filter, baits, data,
                    storage.samples());
        } catch (Throwable e) {
            baits.ifPresent(TrapService::close);
            data.ifPresent(DataRoutes::close);
            client.close();
            pool.close();
            conditions.close();
            throw e;
        }
    }

    /** Returns a rule for the storage of this process; empty if it only listens on Unix-domain sockets. */
    static Optional<FuzzyCheckSettings> ownRule(StorageServer storage, StorageConfig config) {
        Access access = config.access();
        Optional<PublicKey> key = access.encryptedOnly() && !access.keys().isEmpty()
                ? Optional.of(access.keys().getLast().pair().publicKey())
                : Optional.empty();
        return storage.addresses().stream().findFirst().map(address -> {
            InetAddress host = address.getAddress().isAnyLocalAddress()
                    ? InetAddress.getLoopbackAddress()
                    : address.getAddress();
            String server = new HostPort(host.getHostAddress(), address.getPort()).toString();
            String text = rule(server,
                    key.map(open -> "encryption_key = \"" + open.base32() + "\";").orElse(""));
            try {
                UclObject root = (UclObject) Ucl.parse("built-in rule", text, UclSettings.PLAIN).root();
                return FuzzyCheckSettings.read(new Configuration(Configuration.Shape.WHOLE_FILE, "built-in rule", root,
                        List.of(), List.of()), new DiskFiles(), new Problems()).orElseThrow();
            } catch (ConfigException e) {
                throw new IllegalStateException("the built-in rule is valid", e);
            }
        });
    }

    /**
     * Returns the rule to use if no configuration has rules: the storage of this process, with Rspamd's names and
     * weights.
     */
    private static String rule(String server, String key) {
        return """
                            fuzzy_check {
                              timeout = 2s; retransmits = 1;
                              rule "weir" {
                                algorithm = "mumhash"; servers = "%s"; symbol = "FUZZY_UNKNOWN"; read_only = false;
                                mime_types = ["*"]; hits_limit = 20.0; skip_unknown = true; \
                                short_text_direct_hash = true;
                                min_length = 64;
                                %s
                                fuzzy_map = {
                                  FUZZY_DENIED { hits_limit = 20.0; flag = 1; }
                                  FUZZY_PROB { hits_limit = 10.0; flag = 2; }
                                  FUZZY_WHITE { hits_limit = 2.0; flag = 3; }
                                }
                              }
                            }
                """
                .formatted(server, key);
    }

    /** Returns addresses as text for people. */
    static String places(List<SocketAddress> addresses) {
        StringJoiner places = new StringJoiner(", ");
        for (SocketAddress address : addresses) {
            places.add(address instanceof InetSocketAddress inet
                    ? new HostPort(inet.getAddress().getHostAddress(), inet.getPort()).toString()
                    : address.toString());
        }
        return places.toString();
    }

    @Override
    public void close() {
        // Otherwise the service would wait for open streams.
        data.ifPresent(DataRoutes::close);
        // At the same time, because each of them waits for what it has begun.
        try (ExecutorService stops = Executors.newVirtualThreadPerTaskExecutor()) {
            traps.ifPresent(service -> stops.execute(service::close));
            milter.ifPresent(service -> stops.execute(service::close));
            http.ifPresent(service -> stops.execute(service::close));
        }
        client.close();
        pool.close();
        scripts.forEach(LuaConditions::close);
    }
}
