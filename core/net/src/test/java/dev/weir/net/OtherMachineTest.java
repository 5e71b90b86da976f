package dev.weir.net;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OtherMachineTest {
    @Test
    void anAddressOfThisMachineIsNone() {
        assertThat(OtherMachine.hasOtherAddress("127.0.0.1")).isFalse();
        assertThat(OtherMachine.hasOtherAddress("::1")).isFalse();
        assertThat(OtherMachine.hasOtherAddress("0.0.0.0")).isFalse();
        assertThat(OtherMachine.hasOtherAddress("192.0.2.17")).isTrue();
    }
}
