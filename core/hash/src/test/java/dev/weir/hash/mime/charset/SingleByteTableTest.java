package dev.weir.hash.mime.charset;

import java.nio.charset.Charset;
import java.util.Objects;
import java.util.Random;

import com.ibm.icu.charset.CharsetICU;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the table of a single-byte charset converts as the converter does, and that other charsets have none. */
final class SingleByteTableTest {
    @ParameterizedTest
    @ValueSource(strings = {"iso-8859-1", "iso-8859-2", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
        "iso-8859-9", "iso-8859-13", "iso-8859-15", "windows-1250", "windows-1251", "windows-1252", "windows-1253",
        "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "koi8-r", "koi8-u", "ibm-437",
        "ibm-850", "ibm-866", "tis-620", "windows-874", "macintosh", "x-mac-cyrillic", "ibm-37", "ibm-1047",
        "ibm-37,swaplfnl"})
    void convertsLikeTheConverter(String name) {
        Charset charset = CharsetICU.forNameICU(name);
        SingleByteTable table = Objects.requireNonNull(SingleByteTable.of(charset));
        Random random = new Random(7);
        for (int length = 0; length < 600; length += 1 + length / 3) {
            byte[] data = new byte[length];
            random.nextBytes(data);
            assertThat(table.toUtf8(data)).isEqualTo(Conversion.toUtf8(data, charset));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"utf-8", "utf-16", "utf-7", "gb18030", "gbk", "big5", "shift_jis", "euc-jp", "euc-kr",
        "iso-2022-jp", "iso-2022-kr", "hz-gb-2312", "scsu", "bocu-1"})
    void hasNoTableForCharactersOfSeveralBytes(String name) {
        assertThat(SingleByteTable.of(CharsetICU.forNameICU(name))).isNull();
    }
}
