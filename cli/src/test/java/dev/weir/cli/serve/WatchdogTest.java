package dev.weir.cli.serve;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.EventRequest;
import dev.weir.os.ServiceManager;
import dev.weir.testkit.Installed;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The signs of life of a real process, read by another one from a socket as systemd has it. A debugger holds a thread
 * of the storage, as a defect would.
 */
@Tag("peers")
@EnabledOnOs(OS.LINUX)
class WatchdogTest {
    private static final Path PERL = Path.of("/usr/bin/perl");

    /** Prints each datagram as a line. */
    private static final String READER = """
            use Socket; $| = 1;
            socket(S, AF_UNIX, SOCK_DGRAM, 0) && bind(S, pack_sockaddr_un($ARGV[0])) or die $!;
            print "listening\\n";
            while (defined(recv(S, my $m, 4096, 0))) { $m =~ s/\\n/ /g; print "$m\\n"; }
            """;
    private static final String SIGN = "WATCHDOG=1";
    private static final long PATIENCE_MICROS = 500_000;
    private static final long WINDOW_NANOS = 3 * TimeUnit.MICROSECONDS.toNanos(PATIENCE_MICROS);

    @TempDir
    private @Nullable Path folder;

    private int marks;

    @BeforeEach
    void requirePerl() {
        Installed.require(PERL, "perl-base");
    }

    @Test
    void aHungStorageSendsNoSignsAndAHealthyOneGoesOn() throws Exception {
        Path root = Objects.requireNonNull(folder);
        String socket = root.resolve("notify").toString();
        Process reader = new ProcessBuilder(PERL.toString(), "-e", READER, socket).redirectErrorStream(true).start();
        try (BufferedReader said = reader.inputReader(StandardCharsets.UTF_8)) {
            assertThat(said.readLine()).isEqualTo("listening");
            ServeProcess.Node node = ServeProcess.Node.in(root, KeyPair.generate(new SecureRandom()));
            node.configure("", "");
            try (ServeProcess storage = ServeProcess.start(node,
                    List.of("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"),
                    Map.of(ServiceManager.VARIABLE, socket, "WATCHDOG_USEC", Long.toString(PATIENCE_MICROS)))) {
                await(said, "READY=1");
                await(said, SIGN);
                await(said, SIGN);

                VirtualMachine debugger = attach(storage);
                EventSet held = holdARequest(debugger, node.address());
                ServiceManager manager = ServiceManager.at(socket).orElseThrow();
                // The first signs after that may be of the time before.
                long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
                while (signsInAWindow(said, manager) > 0) {
                    assertThat(System.nanoTime()).as("the storage hangs and sends signs").isLessThan(end);
                }

                debugger.eventRequestManager().deleteAllBreakpoints();
                held.resume();
                debugger.dispose();
                await(said, SIGN);
                await(said, SIGN);
                storage.end();
                await(said, "STOPPING=1");
            }
        } finally {
            reader.destroyForcibly().waitFor();
        }
    }

    private static void await(BufferedReader said, String state) throws IOException {
        String line;
        do {
            line = said.readLine();
            assertThat(line).as("waiting for " + state).isNotNull();
        } while (!line.startsWith(state));
    }

    /** Returns how many signs arrive while a healthy storage sends several. */
    private int signsInAWindow(BufferedReader said, ServiceManager manager) throws IOException {
        String first = "MARK=" + ++marks;
        manager.send(first);
        await(said, first);
        LockSupport.parkNanos(WINDOW_NANOS);
        String last = "MARK=" + ++marks;
        manager.send(last);
        int signs = 0;
        for (String line = said.readLine(); !last.equals(line); line = said.readLine()) {
            assertThat(line).as("the storage and its reader run").isNotNull();
            if (SIGN.equals(line)) {
                signs++;
            }
        }
        return signs;
    }

    private static VirtualMachine attach(ServeProcess storage) throws Exception {
        String place = storage.log().stream().filter(line -> line.startsWith("Listening for transport dt_socket"))
                .findFirst().orElseThrow();
        AttachingConnector connector = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(each -> each.name().equals("com.sun.jdi.SocketAttach")).findFirst().orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        Objects.requireNonNull(arguments.get("hostname")).setValue("127.0.0.1");
        Objects.requireNonNull(arguments.get("port")).setValue(place.substring(place.lastIndexOf(' ') + 1)
                .replaceFirst(".*:", ""));
        return connector.attach(arguments);
    }

    /** Sends a datagram and holds the thread that handles it. */
    private static EventSet holdARequest(VirtualMachine debugger, InetSocketAddress storage) throws Exception {
        BreakpointRequest stop = debugger.eventRequestManager().createBreakpointRequest(debugger
                .classesByName("dev.weir.storage.server.request.CommandHandler").getFirst().methodsByName("handle")
                .getFirst().location());
        stop.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        stop.enable();
        try (DatagramSocket client = new DatagramSocket()) {
            client.send(new DatagramPacket(new byte[100], 100, storage));
            while (true) {
                EventSet events = debugger.eventQueue().remove(TimeUnit.MINUTES.toMillis(2));
                assertThat((Object) events).as("the storage handles the datagram").isNotNull();
                if (events.stream().anyMatch(BreakpointEvent.class::isInstance)) {
                    return events;
                }
                events.resume();
            }
        }
    }
}
