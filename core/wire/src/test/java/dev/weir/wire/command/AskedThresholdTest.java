package dev.weir.wire.command;

import java.util.stream.IntStream;

import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The number of shingles that a check asks for, in the value of the command. */
class AskedThresholdTest {
    @Test
    void aNumberComesBack() {
        assertThat(IntStream.range(AskedThreshold.LEAST, AskedThreshold.USUAL))
                .allSatisfy(number -> assertThat(AskedThreshold.of(AskedThreshold.value(number))).isEqualTo(number));
    }

    @Test
    void otherNumbersAskForNothing() {
        for (int number : new int[]{Integer.MIN_VALUE, -1, 0, 1, 7, 17, 32, 255, 256 + 13, Integer.MAX_VALUE}) {
            assertThat(AskedThreshold.value(number)).as("%s", number).isZero();
        }
    }

    /** Clients other than Weir's may write any value into a check. */
    @Test
    void noOtherValueIsTakenForANumber() {
        assertThat(AskedThreshold.value(13)).isEqualTo(0x5745490d);
        for (int value : new int[]{0, 1, 13, -1, 0x5745490d + 256, 0x57454900, 0x57454907, 0x57454911, 0x574549ff,
            0x0d494557, Integer.MIN_VALUE}) {
            assertThat(AskedThreshold.of(value)).as("%x", value).isEqualTo(AskedThreshold.USUAL);
        }
    }

    @Test
    void aCommandCarriesIt() {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        int length = new CommandWriter().begin(bytes, 0, Generation.V4, CommandCode.CHECK)
                .value(AskedThreshold.value(10)).shingles(new long[Protocol.SHINGLES]).end();
        Command command = new Command();
        assertThat(command.wrap(bytes, 0, length)).isEqualTo(Parse.OK);
        assertThat(command.askedThreshold()).isEqualTo(10);
    }
}
