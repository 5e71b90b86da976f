package dev.weir.scan;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StorageAddressTest {
    @ParameterizedTest
    @CsvSource({
        "example.org,            example.org, 11335",
        "example.org:1,          example.org, 1",
        "192.0.2.1:65535,        192.0.2.1,   65535",
        "2001:db8::1,            2001:db8::1, 11335",
        "[2001:db8::1],          2001:db8::1, 11335",
        "[2001:db8::1]:12000,    2001:db8::1, 12000"})
    void parsesEveryNotation(String text, String host, int port) {
        assertThat(StorageAddress.parse(text)).isEqualTo(new StorageAddress(host, port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":11335", "host:x", "host:0", "host:65536", "host:-1", "[::1", "[::1]x", "[]:1"})
    void rejectsMalformedAddresses(String text) {
        assertThatThrownBy(() -> StorageAddress.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void printsIpv6InBrackets() {
        assertThat(new StorageAddress("::1", 1)).hasToString("[::1]:1");
        assertThat(new StorageAddress("host", 1)).hasToString("host:1");
    }
}
