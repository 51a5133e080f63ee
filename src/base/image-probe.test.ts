import fc from "fast-check";
import { expect, test } from "vitest";
import { probeImage } from "./image-probe.ts";

// Written by libvips from noise of 3x2 pixels, one for each way to store the size; metadata left out.
const samples = {
  png: "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAHElEQVQImWNgUPOrWHKJySSDYd41AZ+uUzwB0wBBMgcX6zaJNAAAAABJRU5ErkJggg==",
  "interlaced png":
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAHqc1aMAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAJUlEQVQImWNgUPOrYMiYd02AYcklJhMGn65TPAHT7mmUHBJKAQB8oAnJpm+THAAAAABJRU5ErkJggg==",
  jpeg: "/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/xAAWEAEBAQAAAAAAAAAAAAAAAAAAATH/xAAUAQEAAAAAAAAAAAAAAAAAAAAB/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8Al0Ah/9k=",
  "progressive jpeg":
    "/9j/4QAMRXhpZgAASUkqAP/bAEMA///////////////////////////////////////////////////////////////////////////////////////bAEMB///////////////////////////////////////////////////////////////////////////////////////CABEIAAIAAwMBIgACEQEDEQH/xAAVAAEBAAAAAAAAAAAAAAAAAAAAAf/EABUBAQEAAAAAAAAAAAAAAAAAAAAB/9oADAMBAAIQAxAAAAGBP//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAQUCf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQMBAT8Bf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8Bf//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEABj8Cf//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAT8hf//aAAwDAQACAAMAAAAQ/wD/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oACAEDAQE/EH//xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oACAECAQE/EH//xAAWEAADAAAAAAAAAAAAAAAAAAAAATH/2gAIAQEAAT8QdP/Z",
  gif: "R0lGODlhAwACAIIAAExpcXik0kyKygxQlp7WEAI0aAAmTgAAACH5BAUAAAAALAAAAAADAAIAAAMEaFEkkwA7",
  "animated gif":
    "R0lGODlhAwACAIIAAExpcXik0kyKygxQlp7WEAI0aAAmTgAAACH5BAUAAAAALAAAAAADAAIAAAMEaFEkkwAh+QQFAAAAACwAAAAAAwACAIJMaXH/2bH9y5dhKe/zr2mzdTWHWy0AAAADBBgmU5QAOw==",
  "lossy webp": "UklGRjIAAABXRUJQVlA4ICYAAACwAQCdASoDAAIADMDOJagCdAD0kihAAPrhjxCkzqv3KvtIhvQAAA==",
  "lossless webp":
    "UklGRkYAAABXRUJQVlA4TDoAAAAvAkAAAC9AJm0bdVABZfcE7ByZtG2y9JyQXRMxIgHSaGUDI0xmJzj/UR6VxF8O60BMQ6ZGJ7+I/sck",
  "webp with alpha":
    "UklGRlIAAABXRUJQVlA4WAoAAAAQAAAAAgAAAQAAQUxQSAcAAAAAeDQQDChkAFZQOCAkAAAAcAEAnQEqAwACAAzAziWoAnQBdQAA/lTa0oFazguC/TBdAAAA",
};

const bytesOf = (name: keyof typeof samples): Buffer => Buffer.from(samples[name], "base64");
const names = Object.keys(samples) as (keyof typeof samples)[];

test.each(names)("T3.2 type and size of a %s come from its bytes", (name) => {
  const mediaType = `image/${name.match(/png|jpeg|gif|webp/)?.[0]}`;
  expect(probeImage(bytesOf(name))).toEqual({ ok: true, mediaType, width: 3, height: 2 });
});

test.each(names)("T3.2 a %s cut at any byte is not ok, and bytes after its end do not matter", (name) => {
  const bytes = bytesOf(name);
  for (let length = 0; length < bytes.length; length++) expect(probeImage(bytes.subarray(0, length)).ok).toBe(false);
  expect(probeImage(Buffer.concat([bytes, Buffer.alloc(7)])).ok).toBe(true);
});

test("T3.2 what is wrong is said: the end, the header, or that it is none of the four", () => {
  const reasonOf = (bytes: Uint8Array) => {
    const probe = probeImage(bytes);
    return probe.ok ? undefined : probe.reason;
  };
  expect(reasonOf(bytesOf("png").subarray(0, -1))).toBe("is cut off: the PNG has no IEND");
  expect(reasonOf(bytesOf("jpeg").subarray(0, -2))).toBe("is cut off: the JPEG has no EOI");
  expect(reasonOf(bytesOf("gif").subarray(0, -1))).toBe("is cut off: the GIF has no trailer");
  expect(reasonOf(bytesOf("lossy webp").subarray(0, -1))).toBe("is cut off: the WebP is shorter than its RIFF length");
  expect(reasonOf(bytesOf("png").subarray(0, 20))).toBe("has an unreadable PNG header");
  expect(reasonOf(bytesOf("jpeg").subarray(0, 30))).toBe("has an unreadable JPEG header");
  expect(reasonOf(Buffer.from("<svg/>"))).toBe("is no PNG, JPEG, GIF or WebP");
  expect(reasonOf(new Uint8Array())).toBe("is no PNG, JPEG, GIF or WebP");
});

test("T3.2 the end of a thumbnail in a JPEG's head is not the end of the image", () => {
  const jpeg = bytesOf("jpeg");
  const thumbnail = Buffer.from([0xff, 0xe1, 0x00, 0x06, 0xff, 0xd8, 0xff, 0xd9]);
  const whole = Buffer.concat([jpeg.subarray(0, 2), thumbnail, jpeg.subarray(2)]);
  expect(probeImage(whole).ok).toBe(true);
  expect(probeImage(whole.subarray(0, -2)).ok).toBe(false);
});

test("T3.2 an image of no pixels has an unreadable header", () => {
  const bytes = bytesOf("png");
  bytes.writeUInt32BE(0, 16);
  expect(probeImage(bytes)).toEqual({ ok: false, reason: "has an unreadable PNG header" });
});

test("T3.2 any bytes get an answer", () => {
  const heads = names.map((name) => bytesOf(name).subarray(0, 16));
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 200 }), (head, rest) => {
      expect(typeof probeImage(Buffer.concat([head, rest])).ok).toBe("boolean");
    }),
  );
});
