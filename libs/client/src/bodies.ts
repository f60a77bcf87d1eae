/** Bodies as a program writes them: known fields are checked, what a vendor has beside them goes into `extra`. */
import type { ChatModelCode, ImageShapes, SpeechModelCode, VideoShapes } from './generated/models.ts';
import type { BodyOf, OperationId, Schemas } from './operations.ts';
import type { Upload } from './uploads.ts';

/** A code of the operator's own catalogue; written so that editors still complete the built-in ones. */
export type OtherModel = string & Record<never, never>;
/** What chat calls can name. */
export type ChatModel = ChatModelCode | OtherModel;
/** What speech calls can name. */
export type SpeechModel = SpeechModelCode | OtherModel;
/** What picture calls can name. */
export type ImageModel = keyof ImageShapes | OtherModel;
/** What video calls can name. */
export type VideoModel = keyof VideoShapes | OtherModel;

export interface Extra {
  /** Fields of the vendor's that this package does not know; sent beside the others, before which they win. */
  readonly extra?: { readonly [field: string]: unknown; readonly model?: never; readonly stream?: never };
}

/** The names that are written out, without `[name: string]`. */
type Named<Key> = string extends Key ? never : number extends Key ? never : Key;
/** Without the fields that nobody named, at every depth; what names no field at all stays open. */
type Closed<T> = T extends readonly (infer Item)[]
  ? Closed<Item>[]
  : T extends object
    ? { [K in keyof T as Named<K>]: K } extends Record<string, never>
      ? T
      : { [K in keyof T as Named<K>]: Closed<T[K]> }
    : T;
type ClosedSchema<Name extends keyof Schemas> = Closed<Schemas[Name]>;

/** A body whose own fields are closed and whose `model` completes. Messages, tools and their parts stay the dialect's own. */
export type BodyFor<Id extends OperationId, Model = never> = {
  [K in keyof BodyOf<Id> as Named<K>]: K extends 'model' ? Model : BodyOf<Id>[K];
} & Extra;

/** One call that a chat model wants to be made. */
export type ChatToolCall = Schemas['ChatToolCall'];
/** One message of a chat. */
export type ChatMessage = {
  [K in keyof Schemas['ChatMessage']]: K extends 'tool_calls'
    ? readonly ChatToolCall[] | null
    : Schemas['ChatMessage'][K];
};
/** A body of chat completions. */
export type ChatBody = Omit<BodyFor<'createChatCompletion', ChatModel | SpeechModelCode>, 'messages'> & {
  readonly messages: readonly ChatMessage[];
};
/** A body of text completions. */
export type CompletionBody = BodyFor<'createCompletion', ChatModel>;
/** A body of the responses format. */
export type ResponseBody = BodyFor<'createResponse', ChatModel>;
/** A body of counting the tokens of a response's input. */
export type ResponseCountBody = BodyFor<'countResponseTokens', ChatModel>;
/** A conversation that is to be made short. */
export type ResponseCompactBody = BodyFor<'compactResponse', ChatModel>;
/** A body of the messages format. */
export type MessageBody = BodyFor<'createMessage', ChatModel>;
/** A body of counting the tokens of messages. */
export type MessageCountBody = BodyFor<'countMessageTokens', ChatModel>;
/** A body of generateContent. */
export type ContentBody = BodyFor<'generateContent'>;
/** A body of counting the tokens of contents. */
export type ContentCountBody = BodyFor<'countContentTokens'>;
/** A body of speech. */
export type SpeechBody = BodyFor<'createSpeech', SpeechModel>;

interface ImageBodies {
  readonly prompt: ClosedSchema<'ImagePromptBody'>;
  readonly messages: ClosedSchema<'ImageMessagesBody'>;
}
interface VideoBodies {
  readonly content: ClosedSchema<'VideoContentBody'>;
  readonly input: ClosedSchema<'VideoInputBody'>;
  readonly 'image-urls': ClosedSchema<'VideoImageUrlsBody'>;
  readonly omni: ClosedSchema<'VideoOmniBody'>;
  readonly prompt: ClosedSchema<'VideoPromptBody'>;
  readonly seconds: ClosedSchema<'VideoSecondsBody'>;
}

type AnyKey<T> = T extends unknown ? keyof T : never;
/** One of the shapes whole; fields of two of them do not mix. */
type OneOf<T, All = T> = T extends unknown ? T & { readonly [K in Exclude<AnyKey<All>, keyof T>]?: never } : never;
type WithoutModel<T> = T extends unknown ? Omit<T, 'model'> : never;
/** The body that the model takes; for a code that is not built in, any one of them. */
type Shaped<Model extends string, Shapes, Bodies> = { readonly model: Model } & Extra &
  (Model extends keyof Shapes
    ? WithoutModel<Bodies[Shapes[Model] & keyof Bodies]>
    : OneOf<WithoutModel<Bodies[keyof Bodies]>>);

/** A body of pictures, by the model's code. */
export type ImageBody<Model extends ImageModel = OtherModel> = Shaped<Model, ImageShapes, ImageBodies>;
/** A body of pictures that come piece by piece. */
export type ImageStreamBody = Omit<ImageBodies['prompt'], 'model'> & { readonly model: ImageModel } & Extra;
/** A body of a video task, by the model's code. */
export type VideoBody<Model extends VideoModel = OtherModel> = Shaped<Model, VideoShapes, VideoBodies>;

/** OpenAI's shape of a video; the first frame may be a file, and then a form is sent. */
type VideoObject = Omit<VideoBodies['seconds'], 'model' | 'input_reference'> & {
  readonly input_reference?: NonNullable<VideoBodies['seconds']['input_reference']> | Upload;
};
/** Every video model in OpenAI's shape, and families A and B in their own. */
type VideoObjectShape<Model> = Model extends keyof VideoShapes
  ? VideoShapes[Model] extends 'content' | 'input'
    ? OneOf<VideoObject | WithoutModel<VideoBodies[VideoShapes[Model]]>>
    : VideoObject
  : OneOf<VideoObject | WithoutModel<VideoBodies['content' | 'input']>>;
/** A body of `POST /v1/videos`, by the model's code. */
export type VideoObjectBody<Model extends VideoModel = OtherModel> = { readonly model: Model } & Extra &
  VideoObjectShape<Model>;

/** The form of `POST /v1/images/edits`; numbers may be numbers. */
export interface ImageEdit extends Extra {
  readonly model: ImageModel;
  readonly prompt: string;
  /** One picture or several, at most 16. */
  readonly image: Upload | readonly Upload[];
  /** A png that is transparent where the picture is to be changed. */
  readonly mask?: Upload;
  readonly n?: number;
  readonly size?: string;
  readonly response_format?: 'url' | 'b64_json';
  readonly quality?: string;
  readonly background?: string;
  readonly output_format?: string;
  readonly output_compression?: number;
  readonly input_fidelity?: string;
  readonly partial_images?: number;
  readonly user?: string;
}

/** What is sent: the fields of `extra` among the others, and `more`. Its type is the document's, which is open. */
export function sentOf<Sent>({ extra, ...fields }: Extra, more?: object): Sent {
  return { ...fields, ...extra, ...more } as Sent;
}
