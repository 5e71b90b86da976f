package dev.weir.bench.load;

import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Parse;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LearnsTest {
    private static final int MANY = 10_000;

    @Test
    void everyLearnDiffers() {
        Set<String> digests = new HashSet<>();
        for (long seed : new long[]{1, 2}) {
            Learns learns = new Learns(seed);
            for (int n = 0; n < MANY; n++) {
                digests.add(HexFormat.of().formatHex(learns.digest(n)));
                assertThat(learns.weight(n)).isBetween(1, 100);
            }
        }
        assertThat(digests).hasSize(2 * MANY);
    }

    @Test
    void aRequestSaysWhatTheListSays() {
        Learns learns = new Learns(3);
        byte[] bytes = new byte[Learns.REQUEST];
        Set<Long> shingles = new HashSet<>();
        for (int n = 0; n < 100; n++) {
            new Learns.Requests().learn(learns, n, 77 + n, bytes);
            Command command = new Command();
            assertThat(command.wrap(bytes, 0, bytes.length, Carrier.DATAGRAM)).isEqualTo(Parse.OK);
            assertThat(command.code()).isEqualTo(CommandCode.WRITE);
            assertThat(command.flag()).isEqualTo(Learns.FLAG);
            assertThat(command.value()).isEqualTo(learns.weight(n));
            assertThat(command.tag()).isEqualTo(77 + n);
            byte[] digest = Arrays.copyOfRange(bytes, command.digestOffset(),
                    command.digestOffset() + 64);
            assertThat(digest).isEqualTo(learns.digest(n));
            long[] values = new long[32];
            command.copyShingles(values, 0);
            for (long value : values) {
                shingles.add(value);
            }
        }
        assertThat(shingles).as("no two learns share a shingle").hasSize(3200);
    }
}
