package dev.weir.load.population;

import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

import dev.weir.wire.Protocol;
import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Parse;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HashRequestsTest {
    private static final int MANY = 10_000;

    private final byte[] bytes = new byte[HashRequests.MAX_BYTES];

    private Command parse(int length) {
        Command command = new Command();
        assertThat(command.wrap(bytes, 0, length, Carrier.DATAGRAM)).isEqualTo(Parse.OK);
        return command;
    }

    private byte[] digestOf(Command command) {
        return Arrays.copyOfRange(bytes, command.digestOffset(), command.digestOffset() + Protocol.DIGEST);
    }

    @Test
    void hashesOfTwoSeedsAreAllDistinct() {
        Set<String> digests = new HashSet<>();
        for (long seed : new long[]{1, 2}) {
            Population population = new Population(seed, MANY);
            for (int n = 0; n < MANY; n++) {
                digests.add(HexFormat.of().formatHex(population.digest(n)));
                assertThat(population.value(n)).isBetween(1, Population.MAX_VALUE);
                assertThat(population.flag(n)).isBetween(1, Population.FLAGS);
            }
        }
        assertThat(digests).hasSize(2 * MANY);
    }

    @Test
    void aLearnRequestCarriesTheHash() {
        Population population = new Population(3, 100);
        HashRequests requests = new HashRequests(population, true);
        Set<Long> shingles = new HashSet<>();
        for (int n = 0; n < 100; n++) {
            Command command = parse(requests.learn(n, 77 + n, bytes, 0));
            assertThat(command.code()).isEqualTo(CommandCode.WRITE);
            assertThat(command.flag()).isEqualTo(population.flag(n));
            assertThat(command.value()).isEqualTo(population.value(n));
            assertThat(command.tag()).isEqualTo(77 + n);
            assertThat(digestOf(command)).isEqualTo(population.digest(n));
            long[] values = new long[Protocol.SHINGLES];
            command.copyShingles(values, 0);
            for (long value : values) {
                shingles.add(value);
            }
        }
        assertThat(shingles).as("no two hashes share a shingle").hasSize(3200);
    }

    @Test
    void aRequestWithoutShinglesIsShort() {
        Population population = new Population(3, 100);
        Command command = parse(new HashRequests(population, false).check(5, 9, bytes, 0));
        assertThat(command.code()).isEqualTo(CommandCode.CHECK);
        assertThat(command.tag()).isEqualTo(9);
        assertThat(digestOf(command)).isEqualTo(population.digest(5));
    }
}
