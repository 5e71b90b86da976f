package dev.weir.testkit;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FreePortTest {
    /** So many of the 12,768 ports that draws without memory repeat one for certain. */
    private static final int DRAWS = 1000;

    /** Prints ports, then holds them until the standard input ends. */
    static final class Draw {
        public static void main(String[] args) throws IOException {
            for (int port : draw()) {
                System.out.println(port);
            }
            System.out.println("done");
            System.in.read();
        }
    }

    private static List<Integer> draw() throws IOException {
        List<Integer> ports = new ArrayList<>();
        for (int draw = 0; draw < DRAWS; draw++) {
            ports.add(FreePort.find());
        }
        return ports;
    }

    @Test
    void noPortIsGivenTwice() throws Exception {
        Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), Draw.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var lines = other.inputReader(StandardCharsets.US_ASCII)) {
            List<Integer> ports = new ArrayList<>();
            String line = lines.readLine();
            while (line != null && !line.equals("done")) {
                ports.add(Integer.valueOf(line));
                line = lines.readLine();
            }
            assertThat(ports).hasSize(DRAWS);
            ports.addAll(draw());
            assertThat(ports).doesNotHaveDuplicates().allMatch(port -> port >= 20_000 && port < 32_768);
        } finally {
            other.destroy();
            other.waitFor();
        }
    }

    @Test
    void aPortOfAProgramIsNotFree() throws IOException {
        int port = FreePort.find();
        try (ServerSocket tcp = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThat(FreePort.isFree(tcp.getLocalPort())).isFalse();
        }
        try (DatagramSocket udp = new DatagramSocket(port, InetAddress.getLoopbackAddress())) {
            assertThat(FreePort.isFree(udp.getLocalPort())).isFalse();
        }
        assertThat(FreePort.isFree(port)).isTrue();
    }
}
