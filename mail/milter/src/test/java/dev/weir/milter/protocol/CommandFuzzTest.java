package dev.weir.milter.protocol;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;

import static org.assertj.core.api.Assertions.assertThat;

/** Any bytes are packets, or are refused, and no packet is larger than its bytes. */
final class CommandFuzzTest {
    @FuzzTest
    void anyBytes(byte @NotNull [] bytes) throws IOException, HttpException {
        ByteArrayInputStream in = new ByteArrayInputStream(bytes);
        CommandReader reader = new CommandReader(in, new BodyBudget(1 << 30).share());
        try {
            int left = in.available();
            while (reader.next().isPresent()) {
                assertThat(in.available()).isLessThan(left);
                left = in.available();
            }
            assertThat(left).isZero();
        } catch (MilterException | EOFException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }
}
