package dev.weir.storage.brake;

import java.time.Duration;

import dev.weir.storage.Trouble;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RemovalBrakeTest {
    private long seconds;
    private int next = 0x12_3456;
    private final RemovalBrake brake = new RemovalBrake(() -> Duration.ofSeconds(seconds).toNanos(), () -> next++);

    private boolean asks(String name, String basis, long hashes, long total) {
        return brake.mayRemove(new MassRemoval(name, basis, "the leader lacks them", hashes, total));
    }

    @Test
    void letsSmallRemovalsPass() {
        assertThat(asks("copy", "a", 1_000, 1_000)).isTrue();
        seconds += 60;
        assertThat(asks("copy", "a", 10_000, 100_000)).isTrue();
        assertThat(brake.held()).isZero();
    }

    @Test
    void holdsALargeOneUntilItIsConfirmed() {
        assertThat(asks("copy", "a", 1_001, 10_000)).isFalse();
        assertThat(asks("copy", "a", 1_001, 10_000)).isFalse();
        assertThat(brake.waiting()).extracting(WaitingRemoval::id).containsExactly("copy-123456");
        assertThat(brake.held()).isEqualTo(1);
        assertThat(brake.troubles()).extracting(Trouble::detail).containsExactly(
                "copy-123456 would remove 1001 of 10000 hashes: the leader lacks them; mend the cause or, if they are "
                        + "to go, run \"weir control confirm copy-123456\"");
        assertThat(brake.confirm("copy-123457")).isEmpty();
        assertThat(brake.confirm("copy-123456")).isPresent();
        assertThat(brake.confirm("copy-123456")).isEmpty();
        assertThat(brake.waiting()).isEmpty();
        assertThat(asks("copy", "a", 1_000, 10_000)).isTrue();
        // The yes is used up.
        assertThat(asks("copy", "a", 1_001, 10_000)).isFalse();
    }

    @Test
    void aConfirmationAppliesToNothingElse() {
        asks("copy", "a", 5_000, 10_000);
        brake.confirm("copy-123456");
        assertThat(asks("comparison", "a", 5_000, 10_000)).isFalse();
        assertThat(asks("copy", "a", 5_001, 10_000)).isFalse();
        assertThat(brake.confirm("copy-123456")).isEmpty();
        brake.confirm("copy-123458");
        assertThat(asks("copy", "b", 5_001, 10_000)).isFalse();
        assertThat(brake.waiting()).extracting(WaitingRemoval::id).containsExactly("comparison-123457", "copy-123459");
    }

    @Test
    void portionsOfAMinuteAddUp() {
        assertThat(asks("comparison", "a", 900, 5_000)).isTrue();
        seconds += 30;
        assertThat(asks("comparison", "a", 101, 4_100)).isFalse();
        assertThat(asks("copy", "a", 100, 4_100)).isTrue();
        seconds += 30;
        assertThat(asks("comparison", "a", 101, 4_000)).isTrue();
        assertThat(brake.waiting()).isEmpty();
    }

    @Test
    void forgetsWhatIsNoLongerWanted() {
        asks("copy", "a", 5_000, 10_000);
        brake.withdraw("copy");
        assertThat(brake.waiting()).isEmpty();
        asks("copy", "a", 5_000, 10_000);
        brake.confirm("copy-123457");
        seconds += RemovalBrake.LAPSE.toSeconds();
        assertThat(asks("copy", "a", 5_000, 10_000)).isFalse();
        seconds += RemovalBrake.LAPSE.toSeconds();
        assertThat(brake.troubles()).isEmpty();
    }
}
