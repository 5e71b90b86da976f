package dev.weir.cli.serve;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import dev.weir.cli.config.ConfigFile;
import dev.weir.cli.config.ConfigSections;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.StartBar;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.MailHasher;
import dev.weir.http.control.ControlSocket;
import dev.weir.http.control.StorageCommands;
import dev.weir.http.metrics.StatisticsSource;
import dev.weir.http.push.PushClient;
import dev.weir.http.push.PushServer;
import dev.weir.http.replication.FeedClient;
import dev.weir.http.replication.FeedServer;
import dev.weir.http.server.ListenSockets;
import dev.weir.http.settings.HttpSettings;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.model.failure.Reason;
import dev.weir.net.HostPort;
import dev.weir.os.Hangup;
import dev.weir.os.ServiceManager;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.StorageException;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.smtp.TrapListeners;
import org.jspecify.annotations.Nullable;

/**
 * A storage with its HTTP interface, its milter, its traps and its control socket, from the start of a process to its
 * end. All sockets listen before any of them answers, and the storage is ready when all of them answer. If an address
 * is in use, the start fails. Call {@link #run} once.
 */
final class StorageProcess {
    private final Terminal terminal;
    private final Plan plan;
    private final StorageServer server;
    private final Optional<ServiceManager> manager = ServiceManager.at(System.getenv(ServiceManager.VARIABLE));

    /** Resources to close before the storage stops, last one first. */
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    /** The time in which a start must notice that a signal arrived, before the process ends without it. */
    private static final Duration START_NOTICES = Duration.ofSeconds(2);

    /** Guards {@link #opened} and {@link #stopped}. A start holds it until it is over. */
    private final ReentrantLock turn = new ReentrantLock();
    /** Completes when a signal arrives. */
    private final CompletableFuture<Void> ending = new CompletableFuture<>();
    private final CompletableFuture<Void> copyReady = new CompletableFuture<>();
    private final Setup setup;
    /** Set as soon as the storage answers. */
    private volatile @Nullable Reloader lists;
    private volatile boolean again;
    private boolean stopped;

    /**
     * What to run.
     *
     * @param hasher the hasher of mails, which may still load its languages while the storage opens
     * @param http empty for no HTTP
     * @param milter empty for no milter
     * @param traps empty for no traps
     * @param rules the rules for scanning; empty for a rule for the storage of this process
     * @param controls the control sockets
     * @param reload the configuration, if there is one
     * @param drain whether a stop waits until the database has every update
     */
    record Plan(StorageConfig storage, CompletableFuture<MailHasher> hasher, Optional<Http> http,
            Optional<MilterSettings> milter, Optional<TrapSettings> traps, Optional<FuzzyCheckSettings> rules,
            List<Control> controls,
            Optional<Reload> reload, boolean drain) {}

    /**
     * HTTP.
     *
     * @param required whether the storage must not run without HTTP, because the operator chose its addresses
     * @param placesGiven whether the command line gives the addresses
     */
    record Http(HttpSettings settings, boolean required, boolean placesGiven) {}

    /**
     * A control socket.
     *
     * @param required whether the storage must not run without the socket
     */
    record Control(Bind.Unix place, boolean required) {}

    /** A configuration that supports reloads. */
    record Reload(String path, Map<String, String> variables, ConfigFile file) {}

    StorageProcess(Terminal terminal, Plan plan) {
        this.terminal = terminal;
        this.plan = plan;
        PushSettings push = plan.storage().nodes().push();
        this.server = push == null
                ? new StorageServer(plan.storage(), FeedClient::to)
                : new StorageServer(plan.storage(), FeedClient::to, new PushClient(push.pair()));
        this.setup = plan.reload().map(this::setup).orElse(Setup.NONE);
    }

    /**
     * Runs until a signal arrives, or until a follower has a copy of its leader, which another run puts in place.
     *
     * @return the exit status; empty if the storage must be run again; after a signal, the process ends before this
     *         returns
     * @throws FailedException if the storage could not start or continue; everything has stopped then
     */
    Optional<Integer> run() throws InterruptedException {
        Thread signalled = new Thread(this::endBySignal, "weir-drain");
        // Install the hook before the start, so that every storage that answers also drains.
        Runtime.getRuntime().addShutdownHook(signalled);
        try {
            start();
            CompletableFuture.anyOf(server.stopped(), copyReady).get();
            if (copyReady.isDone()) {
                again = true;
                return Optional.empty();
            }
            return Optional.of(ExitCode.OK);
        } catch (StorageException e) {
            throw new FailedException(ExitCode.SERVER, String.valueOf(e.getMessage()));
        } catch (ExecutionException e) {
            throw new FailedException(ExitCode.SERVER,
                    "the storage stopped after an error: " + Reason.of(e));
        } finally {
            stop();
            leaveStatusToCaller(signalled);
        }
    }

    /** Returns what the next run has to do: the same, with the settings that were in force at the end of this one. */
    Plan next() {
        Reloader reloader = lists;
        return reloader == null ? plan : reloader.planInForce(plan);
    }

    /** Removes the hook, which would end the process with status 0 after an error too. */
    private static void leaveStatusToCaller(Thread signalled) {
        try {
            Runtime.getRuntime().removeShutdownHook(signalled);
        } catch (IllegalStateException e) {
            // A signal arrived: the hook runs and ends the process.
            return;
        }
    }

    private void start() throws StorageException {
        turn.lock();
        try {
            if (!isEnding()) {
                startNow();
            }
        } finally {
            turn.unlock();
        }
    }

    private boolean isEnding() {
        return stopped || ending.isDone();
    }

    private void startNow() throws StorageException {
        load();
        if (plan.http().isPresent() || plan.milter().isPresent() || plan.traps().isPresent()) {
            // Before anything answers: a signal must not wait until the languages are loaded.
            CompletableFuture.anyOf(plan.hasher(), ending).join();
        }
        if (isEnding()) {
            return;
        }
        StorageConfig config = plan.storage();
        Optional<ScanSide.Front<HttpSettings>> httpFront = bindHttp();
        Optional<ScanSide.Front<MilterSettings>> milterFront = bindMilter();
        Optional<ScanSide.TrapFront> trapFront = bindTraps();
        List<ControlSocket> controls = bindControls();
        Optional<Feed> feed = bindFeed();
        Optional<PushServer> intake = openIntake();
        server.answer();
        feed.ifPresent(Feed::start);
        server.node().ifPresent(node -> {
            var _ = node.copyReady().thenRun(() -> copyReady.complete(null));
        });
        Optional<ScanSide> scan = httpFront.isEmpty() && milterFront.isEmpty() && trapFront.isEmpty()
                ? Optional.empty()
                : Optional.of(scan(new ScanSide.Fronts(httpFront, milterFront, trapFront),
                        feed.map(Feed::statistics).orElse(StatisticsSource.NONE)
                                .and(intake.<StatisticsSource>map(door -> door::metrics)
                                        .orElse(StatisticsSource.NONE))));
        Reloader reloader = reloader(scan);
        lists = reloader;
        controls.forEach(socket -> socket.serve(StorageCommands.of(server, config, setup, reloader == null
                ? () -> new StorageCommands.Reloaded(false,
                        List.of("the storage was started without a configuration file"))
                : reloader::reload)));
        terminal.out().printf(Locale.ROOT, "weir: storage ready on %s, data in %s (%s)%n",
                places(config.listen()), config.dataDir(), Reports.count(server.stats().engine().hashes(), "hash"));
        httpFront.ifPresent(front -> terminal.out()
                .println("weir: http ready on " + ScanSide.places(front.doors().addresses())));
        feed.ifPresent(front -> terminal.out()
                .println("weir: followers may ask on " + ScanSide.places(front.doors().addresses())));
        milterFront.ifPresent(front -> terminal.out()
                .println("weir: milter ready on " + ScanSide.places(front.doors().addresses())));
        trapFront.ifPresent(front -> terminal.out().println("weir: traps ready on "
                + (front.doors().addresses().isEmpty()
                        ? "folders"
                        : ScanSide.places(List.copyOf(front.doors().addresses())))));
        terminal.out().flush();
        tell("READY=1");
        ServiceManager.watchdog(System.getenv(), ProcessHandle.current().pid()).ifPresent(patience -> opened
                .push(SignsOfLife.start(patience, () -> alive(patience), () -> tell("WATCHDOG=1"))));
        giveBackMemory();
    }

    /**
     * Collects what the start left behind, several times as much as an idle storage needs. Without a reason like this,
     * ZGC collects old objects only when the heap has grown to hundreds of megabytes. Its collection stops no thread;
     * with another collector, this does nothing.
     */
    private static void giveBackMemory() {
        if (ManagementFactory.getGarbageCollectorMXBeans().stream().anyMatch(bean -> bean.getName().contains("ZGC"))) {
            Thread.ofPlatform().daemon().name("weir-collection").start(System::gc);
        }
    }

    /**
     * Returns whether the storage is alive: it runs, its counters can be read, and no thread has worked on one batch of
     * packets for longer than half of the patience.
     */
    private boolean alive(Duration patience) {
        try {
            return server.stats().engine().hashes() >= 0 && !server.stopped().isDone()
                    && server.longestWork().compareTo(patience.dividedBy(2)) < 0;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private void load() throws StorageException {
        if (!terminal.draws()) {
            server.open();
            return;
        }
        try (StartBar bar = new StartBar(terminal)) {
            server.open(bar);
        }
    }

    private Optional<ScanSide.Front<HttpSettings>> bindHttp() {
        if (plan.http().isEmpty()) {
            return Optional.empty();
        }
        Http http = plan.http().get();
        try {
            return Optional.of(new ScanSide.Front<>(http.settings(), bind(http.settings().binds())));
        } catch (IOException e) {
            if (http.required()) {
                throw new FailedException(ExitCode.SERVER, "no HTTP: " + Reason.of(e)
                        + "; choose another address with --http, or disable HTTP with --no-http");
            }
            // Usually, Rspamd's own controller uses the address. The storage can run without HTTP.
            terminal.err().println("weir: no HTTP: " + Reason.of(e) + "; choose another address with --http");
            return Optional.empty();
        }
    }

    private Optional<ScanSide.Front<MilterSettings>> bindMilter() {
        if (plan.milter().isEmpty()) {
            return Optional.empty();
        }
        MilterSettings settings = plan.milter().get();
        try {
            return Optional.of(new ScanSide.Front<>(settings, bind(settings.binds())));
        } catch (IOException e) {
            throw new FailedException(ExitCode.SERVER, "no milter: " + Reason.of(e)
                    + "; choose another bind_socket in worker \"milter\"");
        }
    }

    private ListenSockets bind(List<SocketAddress> places) throws IOException {
        ListenSockets listeners = ListenSockets.bind(places);
        opened.push(listeners);
        return listeners;
    }

    /** The door for followers. */
    private record Feed(FeedServer server, ListenSockets doors) {
        void start() {
            server.start(doors);
        }

        StatisticsSource statistics() {
            return server::metrics;
        }
    }

    /** Opens the door for masters of Rspamd, which push to the port of the storage. */
    private Optional<PushServer> openIntake() {
        return server.push().flatMap(node -> node.intake().map(intake -> {
            PushServer door = new PushServer(node.settings(), intake);
            opened.push(door);
            door.start();
            server.passHttpTo(door);
            return door;
        }));
    }

    private Optional<Feed> bindFeed() {
        ReplicationSettings settings = plan.storage().nodes().replication();
        if (settings == null || settings.binds().isEmpty()) {
            return Optional.empty();
        }
        try {
            ListenSockets doors = bind(List.copyOf(settings.binds()));
            FeedServer feed = new FeedServer(settings, server.node().orElseThrow());
            opened.push(feed);
            return Optional.of(new Feed(feed, doors));
        } catch (IOException e) {
            throw new FailedException(ExitCode.SERVER, "no feed for followers: " + Reason.of(e)
                    + "; choose another bind_socket in replication");
        }
    }

    private Optional<ScanSide.TrapFront> bindTraps() {
        if (plan.traps().isEmpty()) {
            return Optional.empty();
        }
        TrapSettings settings = plan.traps().get();
        try {
            TrapListeners doors = TrapListeners.bind(settings.smtp(), settings.lmtp());
            opened.push(doors);
            return Optional.of(new ScanSide.TrapFront(settings, doors));
        } catch (IOException e) {
            throw new FailedException(ExitCode.SERVER, "no traps: " + Reason.of(e)
                    + "; choose another bind_socket or lmtp_socket in worker \"trap\"");
        }
    }

    private ScanSide scan(ScanSide.Fronts fronts, StatisticsSource feed) {
        StorageConfig config = plan.storage();
        FuzzyCheckSettings rules = plan.rules().or(() -> ScanSide.ownRule(server, config)).orElseThrow();
        try {
            ScanSide side = ScanSide.start(fronts, rules, plan.hasher().join(), server, config.dataDir(),
                    setup, feed);
            opened.push(side);
            return side;
        } catch (IOException | IllegalArgumentException e) {
            throw new FailedException(ExitCode.SERVER, Reason.of(e));
        }
    }

    /** Shows the files as they are now. They differ from the values in force if they changed since the last reload. */
    private Setup setup(Reload reload) {
        return new Setup(() -> {
            ConfigFile file = ConfigFile.read(reload.path(), reload.variables());
            return file.configuration().map(ConfigSections::of).orElse(List.of());
        }, () -> {
            Reloader reloader = lists;
            return reloader == null ? List.of() : reloader.keyFiles();
        }, () -> {
            Reloader reloader = lists;
            return reloader == null ? List.of("the storage is starting") : reloader.refresh();
        });
    }

    private List<ControlSocket> bindControls() throws StorageException {
        List<ControlSocket> sockets = new ArrayList<>();
        for (Control control : plan.controls()) {
            bind(control).ifPresent(sockets::add);
        }
        return sockets;
    }

    private Optional<ControlSocket> bind(Control control) throws StorageException {
        try {
            ControlSocket socket = ControlSocket.bind(control.place());
            opened.push(socket);
            return Optional.of(socket);
        } catch (IOException e) {
            if (control.required()) {
                throw new StorageException("cannot create the control socket " + control.place() + " ("
                        + Reason.of(e) + "); choose another path with --control, or none", e);
            }
            // The default path may be too long for a socket. The storage can run without this socket.
            terminal.err().println("weir: no control socket at " + control.place() + ": " + Reason.of(e)
                    + "; choose another path with --control");
            return Optional.empty();
        }
    }

    private @Nullable Reloader reloader(Optional<ScanSide> scan) {
        if (plan.reload().isEmpty()) {
            return null;
        }
        Reload reload = plan.reload().get();
        Reloader reloader = new Reloader(server, plan.storage(),
                new Reloader.Scan(scan, plan.http().isPresent(), plan.http().filter(Http::placesGiven).isPresent()),
                reload.path(), reload.variables(), reload.file());
        opened.push(reloader);
        Hangup.handle(reloader::reload);
        return reloader;
    }

    private String places(Listen listen) {
        StringJoiner places = new StringJoiner(", ");
        for (InetSocketAddress address : server.addresses()) {
            places.add(new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString());
        }
        listen.binds().stream().filter(Bind.Unix.class::isInstance).forEach(bind -> places.add(bind.toString()));
        return places.toString();
    }

    /**
     * Stops after a signal, with status 0. The status of the JVM would be 128 plus the number of the signal.
     */
    private void endBySignal() {
        int status = ExitCode.SERVER;
        ending.complete(null);
        try {
            if (turn.tryLock(START_NOTICES.toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    stop();
                } finally {
                    turn.unlock();
                }
            } else {
                // Nothing was answered yet, and the next start recovers as it does after a crash.
                terminal.error("stopping before the storage was open");
            }
            status = ExitCode.OK;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    /** Stops everything. A second call has no effect. */
    private void stop() {
        turn.lock();
        try {
            if (!stopped) {
                stopped = true;
                stopNow();
            }
        } finally {
            turn.unlock();
        }
    }

    private void stopNow() {
        if (!again) {
            tell("STOPPING=1");
        }
        while (!opened.isEmpty()) {
            AutoCloseable next = opened.pop();
            try {
                next.close();
            } catch (Exception e) {
                terminal.error("stopping: " + e.getMessage());
            }
        }
        server.stop(plan.drain(), left -> {
            terminal.error("stopping: " + Reports.count(left, "update") + " not in the database yet");
            // Ask the service manager for the time that this takes.
            tell("EXTEND_TIMEOUT_USEC=60000000\nSTATUS=stopping: " + Reports.count(left, "update")
                    + " not in the database yet");
        });
    }

    private void tell(String state) {
        manager.ifPresent(listening -> {
            try {
                listening.send(state);
            } catch (IOException e) {
                terminal.error("cannot notify the service manager: " + state.lines().findFirst().orElse("") + ": "
                        + Reason.of(e));
            }
        });
    }
}
