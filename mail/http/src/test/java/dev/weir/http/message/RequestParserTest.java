package dev.weir.http.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RequestParserTest {
    private int requests;

    /** Jetty throws an exception, with its stack trace, for each parser that says that it is terminated. */
    @Test
    void aFinishedConnectionDiscardsWhatFollows() {
        RequestParser parser = new RequestParser(new Counting(), 1 << 10);
        parser.parseNext(request());
        assertThat(requests).isEqualTo(1);
        parser.finish();
        parser.close();

        ByteBuffer more = request();
        assertThat(parser.parseNext(more)).isFalse();
        assertThat(more.hasRemaining()).isFalse();
        assertThat(parser.isTerminated()).isFalse();
        assertThat(requests).isEqualTo(1);
    }

    private static ByteBuffer request() {
        return ByteBuffer.wrap("GET /ping HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private final class Counting implements HttpParser.RequestHandler {
        @Override
        public void startRequest(String method, String uri, HttpVersion version) {
            requests++;
        }

        @Override
        public boolean content(ByteBuffer part) {
            return false;
        }

        @Override
        public boolean headerComplete() {
            return false;
        }

        @Override
        public boolean contentComplete() {
            return false;
        }

        @Override
        public boolean messageComplete() {
            return true;
        }

        @Override
        public void parsedHeader(HttpField field) {}

        @Override
        public void earlyEOF() {}
    }
}
